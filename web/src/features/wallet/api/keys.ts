import { roots } from '@/domain/keys';
import type { FlowType, WalletAccount } from '@/lib/api/types';

export const walletKeys = {
  all: roots.wallet,
  flow: (account: WalletAccount, type: FlowType | undefined, month: string | undefined) =>
    [...roots.wallet, 'flow', account, type ?? null, month ?? null] as const,
  entry: (id: string) => [...roots.wallet, 'entry', id] as const,
  table: (filter: object) => [...roots.wallet, 'flow', 'table', filter] as const,
  monthly: [...roots.wallet, 'monthly'] as const,
  destinations: [...roots.wallet, 'destinations'] as const,
  withdrawals: [...roots.wallet, 'withdrawals'] as const,
  withdrawal: (id: string) => [...roots.wallet, 'withdrawal', id] as const,
};
