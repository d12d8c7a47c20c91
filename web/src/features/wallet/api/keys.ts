import { roots } from '@/domain/keys';
import type { FlowType } from '@/lib/api/types';

export const walletKeys = {
  all: roots.wallet,
  flow: (type: FlowType | undefined, month: string | undefined) =>
    [...roots.wallet, 'flow', type ?? null, month ?? null] as const,
  monthly: [...roots.wallet, 'monthly'] as const,
  destinations: [...roots.wallet, 'destinations'] as const,
  withdrawals: [...roots.wallet, 'withdrawals'] as const,
  withdrawal: (id: string) => [...roots.wallet, 'withdrawal', id] as const,
};
