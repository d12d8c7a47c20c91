import { useQuery } from '@tanstack/react-query';
import type { GetQuery } from '@/lib/api/contract';
import type { ListPath, RowOf } from '../table/list';
import { fetchPage } from '../table/use-list';
import { consoleKeys } from './keys';

/** Pages that are read for one object. The newest come first, and the old ones are seldom looked at. */
const PAGES_READ = 50;

/** How often an object of the first page is read anew: others work on it. */
const LIVE_MS = 30_000;

type Found<P extends ListPath> = { row: RowOf<P> | null; pages: number };

/** One object of a list that has no call for one by its id; null if it is not there. */
export function useFound<P extends ListPath>(path: P, id: string) {
  return useQuery({
    queryKey: consoleKeys.one(path, id),
    queryFn: ({ signal }) => find(path, id, signal),
    select: ({ row }) => row,
    refetchInterval: ({ state }) => (state.data?.pages === 1 ? LIVE_MS : false),
  });
}

async function find<P extends ListPath>(path: P, id: string, signal: AbortSignal): Promise<Found<P>> {
  let cursor: string | null = null;
  for (let pages = 1; ; pages += 1) {
    const page: { items: RowOf<P>[]; next: string | null } = await fetchPage(
      path,
      {} as GetQuery<P>,
      cursor,
      signal,
    );
    const row = page.items.find((item) => (item as { id?: string }).id === id) ?? null;
    if (row !== null || page.next === null || pages === PAGES_READ) return { row, pages };
    cursor = page.next;
  }
}
