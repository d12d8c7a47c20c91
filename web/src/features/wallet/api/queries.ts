import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { get } from '@/lib/api/call';
import type { FlowType } from '@/lib/api/types';
import { roots } from '@/lib/query-roots';
import { MONTHS_BACK } from '../rules';

export const fundListQuery = (type: FlowType | undefined, month: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [roots.wallet, 'flow', type ?? null, month ?? null],
    queryFn: ({ pageParam, signal }) =>
      get(
        '/transaction_flow/list',
        {
          ...(type ? { type } : {}),
          ...(month ? { month } : {}),
          ...(pageParam ? { cursor: pageParam } : {}),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    staleTime: 0,
  });

export const monthlyQuery = queryOptions({
  queryKey: [roots.wallet, 'monthly'],
  queryFn: ({ signal }) => get('/transaction_flow/monthly', { months: MONTHS_BACK }, { signal }),
  staleTime: 0,
});
