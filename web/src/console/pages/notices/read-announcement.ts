import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import type { Announcement } from './edit';

const PATH = '/admin/announcement/list';
/** Announcements a call. */
const PAGE = 100;

/** One announcement. No call answers one alone, so the list is read until it has it; null if it never does. */
export function announcementQuery(id: string) {
  return queryOptions({
    queryKey: consoleKeys.one(PATH, id),
    queryFn: async ({ signal }): Promise<Announcement | null> => {
      let cursor: string | null = null;
      do {
        const query = { limit: PAGE, ...(cursor === null ? {} : { cursor }) };
        const page: { items: Announcement[]; next_cursor: string | null } = await staffGet(PATH, query, {
          signal,
        });
        const found = page.items.find((announcement) => announcement.id === id);
        if (found) return found;
        cursor = page.next_cursor;
      } while (cursor !== null);
      return null;
    },
  });
}

/** The announcement as it is now, whatever was read before. */
export function readAnew(client: QueryClient, id: string): Promise<Announcement | null> {
  return client.fetchQuery({ ...announcementQuery(id), staleTime: 0 });
}
