import type { BasicConfig, Property, Reason } from '@/lib/api/types';
import { smaller } from '@/lib/money';

/*
 * Money leaves the wallet by a withdrawal or an exchange, and one rule decides about both. The server lists what
 * blocks it in `withdraw_blocked_by`.
 */

/** How money leaves. Only an exchange that gives wallet money counts. */
export type Leaving = 'withdrawal' | 'exchange';

export const COOLING_OFF: Reason = 'WITHDRAWAL_COOLING_OFF';
export const FROZEN: Reason = 'WALLET_FROZEN';

/** What blocks an exchange, too. It needs no bound account, and checks the balance with the amount. */
const OF_EXCHANGE: readonly Reason[] = [
  FROZEN,
  'PAY_PASSWORD_NOT_SET',
  'START_UP_FUNDS_NOT_RETURNED',
  COOLING_OFF,
];

/** Whether money cannot leave now. */
export function isOnHold(leaving: Leaving, property: Property): boolean {
  const { withdraw_blocked_by: reasons, withdrawal_available_at } = property;
  const isBlocked = leaving === 'withdrawal' ? reasons.length > 0 : reasons.some(blocksExchange);
  return isBlocked || Boolean(withdrawal_available_at);
}

/** Whether a reason blocks every exchange that gives wallet money. */
export function blocksExchange(reason: string): boolean {
  return (OF_EXCHANGE as readonly string[]).includes(reason);
}

const SOONEST_MS = 10_000;
const LATEST_MS = 3_600_000;

/**
 * The refetch interval during a cooling-off period; false outside. The server's clock decides, so after the end by the
 * local clock it polls with a minimum interval. Capped by what timers support.
 */
export function askAgainMs(until: string | null | undefined, now: number): number | false {
  if (!until) return false;
  return Math.min(Math.max(Date.parse(until) - now, SOONEST_MS), LATEST_MS);
}

/** What may leave within 24 hours. Undefined from a server before these limits. */
export type LeaveLimits = BasicConfig['leave_limits'] | undefined;

/** A range whose maximum is what may leave at once at most. */
export function leavable<R extends { max: string }>(range: R, limits: LeaveLimits): R {
  if (!limits) return range;
  return { ...range, max: smaller(range.max, smaller(limits.per_day, limits.per_destination)) };
}
