import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get } from '@/lib/api/call';
import { PAGE_ROWS } from '@/ui/table/export';
import { planKeys } from '../api/keys';
import type { TableFilter } from './table-state';

/** A page of the table as its file reads it: as large as possible. */
export function loadPlans(filter: TableFilter, cursor: string | null, limit = PAGE_ROWS) {
  return get('/plan/order/list', { ...filter, limit, ...(cursor ? { cursor } : {}) });
}

const SHOWN_ROWS = 50;

export const planTableQuery = (filter: TableFilter) =>
  infiniteQueryOptions({
    queryKey: planKeys.table(filter),
    queryFn: ({ pageParam }) => loadPlans(filter, pageParam, SHOWN_ROWS),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** What all plans of a filter add up to, without the plans. */
export const planTotalsQuery = (filter: TableFilter) =>
  queryOptions({
    queryKey: planKeys.tableTotals(filter),
    queryFn: async () => (await loadPlans(filter, null, 1)).totals,
    staleTime: 0,
  });
