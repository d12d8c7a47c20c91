import { useQuery } from '@tanstack/react-query';
import type { GetQuery } from '@/lib/api/contract';
import type { ListPath } from '../table/list';
import { fetchPage } from '../table/use-list';
import { consoleKeys } from './keys';

/** How often it is read anew: others work on it. */
const LIVE_MS = 30_000;

/** One object of a list whose call takes its id; null if it is not there. */
export function useOne<P extends ListPath>(path: P, id: string) {
  return useQuery({
    queryKey: consoleKeys.one(path, id),
    queryFn: async ({ signal }) => {
      const page = await fetchPage(path, { id } as unknown as GetQuery<P>, null, signal);
      return page.items[0] ?? null;
    },
    refetchInterval: LIVE_MS,
  });
}
