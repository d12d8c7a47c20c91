import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { roots } from '@/domain/keys';
import { get, type PostBody, post } from '@/lib/api/call';
import { isRunning, type Push, type StatusTab } from '../rules';
import { planKeys } from './keys';

const PLAN_REFRESH_MS = 30_000;

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
    // A put moves money, creates a plan and may use a coupon. A refusal, too, means that something has changed.
    onSettled: () => {
      for (const root of [roots.wallet, roots.plans, roots.statistics, roots.coupons, roots.notifications]) {
        void queryClient.invalidateQueries({ queryKey: root });
      }
    },
  });
}
