import type { components } from '@/lib/api/schema';

export type PlatformAccount = components['schemas']['PlatformAccount'];

export const ACCOUNTS = [
  'deposits_clearing',
  'promotions',
  'ad_spend',
  'ad_revenue',
  'profit_share',
  'withdrawals_clearing',
  'withdrawal_fees',
  'chargebacks',
  'membership',
  'fx_clearing',
] as const satisfies readonly PlatformAccount[];

/** The accounts that every delivery report moves: their entries are those of the plans. */
const BY_PLAN: readonly PlatformAccount[] = ['ad_spend', 'ad_revenue'];

export function hasEntries(account: PlatformAccount): boolean {
  return !BY_PLAN.includes(account);
}

export function accountOf(name: string | undefined): PlatformAccount | null {
  return ACCOUNTS.find((account) => account === name) ?? null;
}
