import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { roots } from '@/domain/keys';
import { get, getFile, post } from '@/lib/api/call';
import type { PostBody } from '@/lib/api/contract';
import type { FlowEntry, FlowType, WalletAccount, Withdrawal } from '@/lib/api/types';
import { MONTHS_BACK } from '../rules';
import { walletKeys } from './keys';

export const fundListQuery = (
  account: WalletAccount,
  type: FlowType | undefined,
  month: string | undefined,
) =>
  infiniteQueryOptions({
    queryKey: walletKeys.flow(account, type, month),
    queryFn: ({ pageParam, signal }) =>
      get(
        '/transaction_flow/list',
        {
          account,
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

/** A withdrawal by its id; null if the user has none with it. */
export const withdrawalQuery = (id: string) =>
  queryOptions({
    queryKey: walletKeys.withdrawal(id),
    queryFn: async ({ signal }): Promise<Withdrawal | null> =>
      (await get('/user/withdraw/list', { id }, { signal })).items[0] ?? null,
    staleTime: 0,
  });

/** A movement by its id; null if the user has none with it. */
export const entryQuery = (id: string) =>
  queryOptions({
    queryKey: walletKeys.entry(id),
    queryFn: async ({ signal }): Promise<FlowEntry | null> =>
      (await get('/transaction_flow/list', { id }, { signal })).items[0] ?? null,
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

/** `onCancelled` runs even if the dialog has gone by then. */
export function useCancelWithdrawal(onCancelled: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id, key }: { id: string; key: string }) =>
      post('/user/withdraw/cancel', { id }, { idempotencyKey: key }),
    meta: { inline: true },
    onSuccess: (withdrawal) => {
      queryClient.setQueryData(withdrawalQuery(withdrawal.id).queryKey, withdrawal);
      onCancelled();
    },
    // A refusal means that it has been decided meanwhile.
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
