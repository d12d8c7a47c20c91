import type { FlowType, WalletAccount } from '@/lib/api/types';
import { type Days, monthOf, type Period, periodOf } from '@/lib/calendar';
import { choiceOf } from '@/ui/use-choice';
import { ACCOUNTS, typesIn } from '../rules';

/** A desk can also show all balances at once. */
export const ALL_ACCOUNTS = [...ACCOUNTS, 'all'] as const;
export type AnyAccount = (typeof ALL_ACCOUNTS)[number];

export type FundsState = { account: AnyAccount; type: 'all' | FlowType; period: Period; days: Days };

/** The types that move a balance, or any of them. */
export function typesOfAny(account: AnyAccount): readonly ('all' | FlowType)[] {
  return account === 'all' ? [...new Set(ACCOUNTS.flatMap((one) => typesIn(one)))] : typesIn(account);
}

/** The movements that an address shows. A month, as in links and on phones, is a period like any other. */
export function fundsState(query: URLSearchParams, today: string): FundsState {
  const account = choiceOf(query, 'account', ALL_ACCOUNTS);
  const type = choiceOf(query, 'type', typesOfAny(account));
  const month = query.get('month');
  const ofMonth = !query.has('period') && /^\d{4}-(0[1-9]|1[0-2])$/.test(month ?? '');
  const time = ofMonth ? { period: 'custom' as const, days: monthOf(`${month}-01`) } : periodOf(query, today);
  return { account, type, ...time };
}

/** What the server is asked. Only the lines of one balance add up. */
export function fundsFilter({ account, type, days }: FundsState) {
  return {
    ...(account === 'all' ? {} : { account: account satisfies WalletAccount, totals: true }),
    ...(type === 'all' ? {} : { type }),
    ...days,
  };
}

export type FundsFilter = ReturnType<typeof fundsFilter>;

export function isPart({ type, period }: FundsState): boolean {
  return type !== 'all' || period !== 'all';
}
