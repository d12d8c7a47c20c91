import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { roots } from '@/domain/keys';
import { get, getFile, type PostBody, post } from '@/lib/api/call';
import type { FlowType, Withdrawal } from '@/lib/api/types';
import { MONTHS_BACK } from '../rules';
import { walletKeys } from './keys';

export const fundListQuery = (type: FlowType | undefined, month: string | undefined) =>
  infiniteQueryOptions({
    queryKey: walletKeys.flow(type, month),
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
  queryKey: walletKeys.monthly,
  queryFn: ({ signal }) => get('/transaction_flow/monthly', { months: MONTHS_BACK }, { signal }),
  staleTime: 0,
});

/** A month's statement as CSV. Not cached, because it is needed only for a download or a check. */
export function loadStatement(month: string): Promise<string> {
  return getFile('/transaction_flow/statement', { month });
}

export const destinationsQuery = queryOptions({
  queryKey: walletKeys.destinations,
  queryFn: ({ signal }) => get('/bank_card/detail', undefined, { signal }),
  staleTime: 0,
});

export const withdrawalListQuery = infiniteQueryOptions({
  queryKey: walletKeys.withdrawals,
  queryFn: ({ pageParam, signal }) =>
    get('/user/withdraw/list', pageParam ? { cursor: pageParam } : {}, { signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor ?? null,
  staleTime: 0,
});

/** The most pages read in search of one withdrawal. */
const PAGES_MAX = 10;

/** A withdrawal by its id; null if it is not among the latest thousand. The server can only list them. */
export const withdrawalQuery = (id: string) =>
  queryOptions({
    queryKey: walletKeys.withdrawal(id),
    queryFn: async ({ signal }): Promise<Withdrawal | null> => {
      let cursor: string | null = null;
      for (let read = 0; read < PAGES_MAX; read += 1) {
        const query: { limit: number; cursor?: string } = { limit: 100, ...(cursor ? { cursor } : {}) };
        const page: { items: Withdrawal[]; next_cursor: string | null } = await get(
          '/user/withdraw/list',
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

type Keyed<B> = { body: B; key: string };

export function useWithdraw() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: Keyed<PostBody<'/user/withdraw'>>) =>
      post('/user/withdraw', body, { idempotencyKey: key }),
    meta: { inline: true },
    onSuccess: (withdrawal) => queryClient.setQueryData(withdrawalQuery(withdrawal.id).queryKey, withdrawal),
    // A refusal, too, means that the balances shown are outdated.
    onSettled: () => void queryClient.invalidateQueries({ queryKey: walletKeys.all }),
  });
}

export function useBind() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: Keyed<PostBody<'/bank_card/edit'>>) =>
      post('/bank_card/edit', body, { idempotencyKey: key }),
    meta: { inline: true },
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: walletKeys.all }),
        queryClient.invalidateQueries({ queryKey: roots.user }),
      ]),
  });
}
