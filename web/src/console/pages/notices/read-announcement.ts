import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { hasReason } from '@/lib/api/error';
import { staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import type { AnnouncementDetail } from './edit';

const PATH = '/admin/announcement/detail';

/** One announcement with its recipients; null if there is none. */
export function announcementQuery(id: string) {
  return queryOptions({
    queryKey: consoleKeys.one(PATH, id),
    queryFn: async ({ signal }): Promise<AnnouncementDetail | null> => {
      try {
        return await staffGet(PATH, { id }, { signal });
      } catch (error) {
        if (hasReason(error, 'NOT_FOUND')) return null;
        throw error;
      }
    },
  });
}

/** The announcement as it is now, whatever was read before. */
export function readAnew(client: QueryClient, id: string): Promise<AnnouncementDetail | null> {
  return client.fetchQuery({ ...announcementQuery(id), staleTime: 0 });
}
