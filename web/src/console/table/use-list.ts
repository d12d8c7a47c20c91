import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import type { GetAnswer, GetQuery } from '@/lib/api/contract';
import { staffGet } from '../api/call';
import { consoleKeys } from '../api/keys';
import { LIVE_PAGES } from '../live/live-updates';
import { useReadEvery } from '../live/state';
import type { ListPath, RowOf } from './list';

/** Rows a call. */
export const PAGE_ROWS = 100;

/** One page of a list, from a cursor on. */
export function fetchPage<P extends ListPath>(
  path: P,
  query: GetQuery<P>,
  cursor: string | null,
  signal: AbortSignal,
): Promise<{ items: RowOf<P>[]; next: string | null }> {
  const asked = { ...query, limit: PAGE_ROWS, ...(cursor === null ? {} : { cursor }) } as GetQuery<P>;
  return staffGet(path, asked, { signal }).then((answer: GetAnswer<P>) => {
    const page = answer as { items: RowOf<P>[]; next_cursor?: string | null };
    return { items: page.items, next: page.next_cursor ?? null };
  });
}

/** The rows of a list so far, with what fetches more of them. */
export function useList<P extends ListPath>(path: P, query: GetQuery<P>) {
  const readEvery = useReadEvery(path);
  return useInfiniteQuery({
    queryKey: consoleKeys.list(path, query as Record<string, string>),
    queryFn: ({ pageParam, signal }) => fetchPage(path, query, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    select: rowsOf<P>,
    // Others work on the same list. Who has scrolled far asks anew by hand.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= LIVE_PAGES ? readEvery : false),
  });
}

type Loaded<P extends ListPath> = InfiniteData<{ items: RowOf<P>[]; next: string | null }, string | null>;

function rowsOf<P extends ListPath>({ pages }: Loaded<P>): RowOf<P>[] {
  return pages.flatMap(({ items }) => items);
}
