import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { get } from '@/lib/api/call';
import { PAGE_ROWS } from '@/ui/table/export';
import { walletKeys } from '../api/keys';
import type { FundsFilter } from './funds-state';

/** A page of the table as its file reads it: as large as possible. */
export function loadFunds(filter: FundsFilter, cursor: string | null, limit = PAGE_ROWS) {
  return get('/transaction_flow/list', { ...filter, limit, ...(cursor ? { cursor } : {}) });
}

const SHOWN_ROWS = 50;

export const fundsTableQuery = (filter: FundsFilter) =>
  infiniteQueryOptions({
    queryKey: walletKeys.table(filter),
    queryFn: ({ pageParam }) => loadFunds(filter, pageParam, SHOWN_ROWS),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
