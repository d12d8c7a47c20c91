import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { roots } from '@/domain/keys';
import { hasRange } from '@/domain/statistics/figure';
import { type Range, rangeType } from '@/domain/statistics/range';
import { get, post } from '@/lib/api/call';
import type { PostBody } from '@/lib/api/contract';
import type { PlanFigure } from '@/lib/api/types';
import { timeZoneName } from '@/lib/time-zone';
import { isRunning, type Push, type StatusTab } from '../rules';
import { planKeys } from './keys';

export const PLAN_REFRESH_MS = 30_000;

export const planListQuery = (push: Push, status: StatusTab) =>
  infiniteQueryOptions({
    queryKey: planKeys.list(push, status),
    queryFn: ({ pageParam, signal }) =>
      get(
        '/plan/order/list',
        { push, ...(status === 'all' ? {} : { status }), ...(pageParam ? { cursor: pageParam } : {}) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** The plans that a figure counts, and their sum, by the figure's own rule. */
export const figureListQuery = (figure: PlanFigure, range: Range) =>
  infiniteQueryOptions({
    queryKey: planKeys.figure(figure, range),
    queryFn: ({ pageParam, signal }) =>
      get(
        '/plan/order/list',
        {
          figure,
          ...(hasRange(figure) ? { type: rangeType(range), user_time_zone: timeZoneName() } : {}),
          ...(pageParam ? { cursor: pageParam } : {}),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    staleTime: 0,
  });

/** The number of pushed plans that wait for the user. */
export const waitingCountQuery = queryOptions({
  queryKey: planKeys.waiting,
  queryFn: async ({ signal }) => (await post('/plan/order/await/put/count', {}, { signal })).count,
  staleTime: 0,
});

export const planQuery = (id: string) =>
  queryOptions({
    queryKey: planKeys.detail(id),
    queryFn: ({ signal }) => post('/plan/order/detail', { id }, { signal }),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? PLAN_REFRESH_MS : false),
    staleTime: 0,
  });

export const productListQuery = infiniteQueryOptions({
  queryKey: planKeys.products,
  queryFn: ({ pageParam, signal }) =>
    get('/plan/product/list', pageParam ? { cursor: pageParam } : {}, { signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor ?? null,
});

export const productQuery = (id: string) =>
  queryOptions({
    queryKey: planKeys.product(id),
    queryFn: ({ signal }) => post('/plan/order/app/detail', { product_id: id }, { signal }),
    staleTime: 0,
  });

type Put = { body: PostBody<'/plan/order/put'>; key: string };

export function usePutPlan() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: Put) => post('/plan/order/put', body, { idempotencyKey: key }),
    meta: { inline: true },
    onSettled: () => refreshAfterOrder(queryClient),
  });
}

/** `onCancelled` runs even if the dialog has gone by then: the event stream may be faster than the answer. */
export function useCancelPlan(onCancelled: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id, key }: { id: string; key: string }) =>
      post('/plan/order/cancel', { plan_id: id }, { idempotencyKey: key }),
    meta: { inline: true },
    onSuccess: onCancelled,
    onSettled: () => refreshAfterOrder(queryClient),
  });
}

/** An order moves money, changes a plan and may use a coupon. A refusal, too, means that something has changed. */
function refreshAfterOrder(queryClient: QueryClient): void {
  for (const root of [roots.wallet, roots.plans, roots.statistics, roots.coupons, roots.notifications]) {
    void queryClient.invalidateQueries({ queryKey: root });
  }
}
