import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { roots } from '@/domain/keys';
import { get, getFile, type PostBody, post } from '@/lib/api/call';
import type { FlowEntry, FlowType, Page, WalletAccount, Withdrawal } from '@/lib/api/types';
import { ACCOUNTS, MONTHS_BACK } from '../rules';
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

/** Pages that are read in search of one withdrawal or movement, and what a page holds. */
const PAGES_MAX = 10;
const PAGE_LIMIT = 100;

type Ask = { limit: number; cursor?: string };

/** An item by its id, from pages of a list that the server can only list; null if it is not on the first of them. */
async function findIn<T extends { id: string }>(
  load: (ask: Ask) => Promise<Page<T>>,
  id: string,
): Promise<T | null> {
  let cursor: string | null | undefined;
  for (let read = 0; read < PAGES_MAX; read += 1) {
    const page: Page<T> = await load({ limit: PAGE_LIMIT, ...(cursor ? { cursor } : {}) });
    const found = page.items.find((item) => item.id === id);
    if (found) return found;
    cursor = page.next_cursor;
    if (!cursor) break;
  }
  return null;
}

/** A withdrawal by its id; null if it is not among the latest thousand. */
export const withdrawalQuery = (id: string) =>
  queryOptions({
    queryKey: walletKeys.withdrawal(id),
    queryFn: ({ signal }): Promise<Withdrawal | null> =>
      findIn((ask) => get('/user/withdraw/list', ask, { signal }), id),
    staleTime: 0,
  });

/** A movement by its id; null if it is not among the latest thousand of its balance. */
export const entryQuery = (id: string) =>
  queryOptions({
    queryKey: walletKeys.entry(id),
    queryFn: async ({ signal }): Promise<FlowEntry | null> => {
      // Notices name movements of the available funds, which come first.
      for (const account of ACCOUNTS) {
        const load = (ask: Ask) => get('/transaction_flow/list', { account, ...ask }, { signal });
        const found = await findIn(load, id);
        if (found) return found;
      }
      return null;
    },
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
