import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  skipToken,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { roots } from '@/domain/keys';
import { get, post } from '@/lib/api/call';
import type { PostBody } from '@/lib/api/contract';
import type { AcceptorDetail, AcceptorKind, ExchangeOrder } from '@/lib/api/types';
import { currentOf } from '../rules';
import { exchangeKeys } from './keys';

/** The polling interval of an open order, whose acceptor decides about it. */
const CURRENT_REFRESH_MS = 15_000;

export const exchangeListQuery = infiniteQueryOptions({
  queryKey: exchangeKeys.orders,
  queryFn: ({ pageParam, signal }) =>
    get('/acceptor/order/list', pageParam ? { cursor: pageParam } : {}, { signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor ?? null,
  refetchInterval: ({ state }) => (currentOf(state.data?.pages[0]?.items) ? CURRENT_REFRESH_MS : false),
  staleTime: 0,
});

/** The most pages read in search of one order. */
const PAGES_MAX = 10;

/** An order by its id; null if it is not among the latest thousand. The server can only list them. */
export const exchangeOrderQuery = (id: string) =>
  queryOptions({
    queryKey: exchangeKeys.order(id),
    queryFn: async ({ signal }): Promise<ExchangeOrder | null> => {
      let cursor: string | null = null;
      for (let read = 0; read < PAGES_MAX; read += 1) {
        const query: { limit: number; cursor?: string } = { limit: 100, ...(cursor ? { cursor } : {}) };
        const page: { items: ExchangeOrder[]; next_cursor: string | null } = await get(
          '/acceptor/order/list',
          query,
          { signal },
        );
        const found = page.items.find((item) => item.id === id);
        if (found) return found;
        cursor = page.next_cursor;
        if (cursor === null) break;
      }
      return null;
    },
    staleTime: 0,
  });

/** The acceptor behind a code, with the user's input. */
export type Found = Pick<AcceptorDetail, 'acceptor' | 'offer'> & {
  kind: AcceptorKind;
  code: string;
  amount: string;
};

/**
 * The acceptor that the last code opened. Never fetched automatically, because each attempt counts. Survives setting a
 * transaction password in between.
 */
export const foundQuery = queryOptions<Found | null>({
  queryKey: exchangeKeys.found,
  queryFn: skipToken,
  initialData: null,
  staleTime: Number.POSITIVE_INFINITY,
});

export function keepFound(queryClient: QueryClient, found: Found | null): void {
  queryClient.setQueryData(foundQuery.queryKey, found);
}

export function useFindAcceptor() {
  return useMutation({
    mutationFn: (body: PostBody<'/acceptor/detail'>) => post('/acceptor/detail', body),
    meta: { inline: true },
  });
}

type Create = { body: PostBody<'/acceptor/order/create'>; key: string };

export function useCreateExchange() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: Create) => post('/acceptor/order/create', body, { idempotencyKey: key }),
    meta: { inline: true },
    onSettled: () => refreshAfterExchange(queryClient),
  });
}

/** `onCancelled` runs even if the order has left the page by then: the event stream may be faster than the answer. */
export function useCancelExchange(onCancelled: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id, key }: { id: string; key: string }) =>
      post('/acceptor/order/cancel', { id }, { idempotencyKey: key }),
    meta: { inline: true },
    onSuccess: onCancelled,
    onSettled: () => refreshAfterExchange(queryClient),
  });
}

/** An order moves money, and a refusal means that something has changed. Resolves when the orders are refetched. */
async function refreshAfterExchange(queryClient: QueryClient): Promise<void> {
  for (const root of [roots.wallet, roots.notifications, roots.user]) {
    void queryClient.invalidateQueries({ queryKey: root });
  }
  await queryClient.invalidateQueries({ queryKey: exchangeKeys.orders });
}
