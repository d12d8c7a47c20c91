import { infiniteQueryOptions } from '@tanstack/react-query';
import { get } from '@/lib/api/call';
import { planKeys } from './keys';

/** The delivery reports of a plan. Like its detail, they follow the `plan` events of the stream. */
export const reportListQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: planKeys.reports(id),
    queryFn: ({ pageParam, signal }) =>
      get('/plan/order/reports', { plan_id: id, ...(pageParam ? { cursor: pageParam } : {}) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    staleTime: 0,
  });
