import { useInfiniteQuery } from '@tanstack/react-query';
import type { GetQuery } from '@/lib/api/contract';
import { staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import type { RowOf } from '../../table/list';

/** Rows a call: a panel shows the newest ones. */
const PANEL_ROWS = 20;

/** The lists of one user that a panel of the user's page shows. */
export type UserListPath = '/admin/user/coupons' | '/admin/user/notices' | '/admin/user/security_log';

/** The newest rows of such a list, with what fetches older ones. Nothing reads them anew by itself: some reads are audited. */
export function useUserRows<P extends UserListPath>(path: P, query: Readonly<Record<string, string>>) {
  return useInfiniteQuery({
    queryKey: consoleKeys.list(path, query),
    queryFn: async ({ pageParam, signal }) => {
      const asked = { ...query, limit: PANEL_ROWS, ...(pageParam === null ? {} : { cursor: pageParam }) };
      const page = (await staffGet(path, asked as GetQuery<P>, { signal })) as Page<RowOf<P>>;
      return { items: page.items, next: page.next_cursor };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    refetchOnWindowFocus: false,
  });
}

type Page<Row> = { items: Row[]; next_cursor: string | null };
