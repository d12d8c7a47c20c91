import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { today } from '@/ui/table/today';
import { planTableQuery } from './table-query';
import { tableFilter, tableState } from './table-state';

/** The table of the address, and its plans. */
export function usePlanTable() {
  const state = tableState(useSearchParams()[0], today());
  const filter = tableFilter(state);
  const query = useInfiniteQuery(planTableQuery(filter));
  return { state, filter, query, totals: query.data?.pages[0]?.totals };
}
