import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  skipToken,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { roots } from '@/domain/keys';
import { get, type PostBody, post } from '@/lib/api/call';
import type { AcceptorDetail, AcceptorKind } from '@/lib/api/types';
import { currentOf } from '../rules';
import { exchangeKeys } from './keys';

/** How often an open order is looked after: its acceptor decides about it, not the user. */
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

/** An acceptor behind a code, with what the user has typed for it so far. */
export type Found = Pick<AcceptorDetail, 'acceptor' | 'offer'> & {
  kind: AcceptorKind;
  code: string;
  amount: string;
};

/**
 * What the last code opened. It is never asked for by itself, since each try of a code is counted; it stays for the way
 * to the transaction password and back.
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

/** `onCancelled` is told even where the order is gone from the page by then: its stream may be faster than the answer. */
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

/** An order moves money; also a refusal tells that something changed. Resolves when the orders are there. */
async function refreshAfterExchange(queryClient: QueryClient): Promise<void> {
  for (const root of [roots.wallet, roots.notifications, roots.user]) {
    void queryClient.invalidateQueries({ queryKey: root });
  }
  await queryClient.invalidateQueries({ queryKey: exchangeKeys.orders });
}
