import type { BasicConfig, Property, Reason } from '@/lib/api/types';
import { smaller } from '@/lib/money';

/*
 * Money leaves the wallet by a withdrawal or an exchange, and one rule decides about both. The server lists what
 * blocks it in `withdraw_blocked_by`.
 */

export type Step = {
  key: 'balance' | 'pay_password' | 'destination' | 'start_up_funds' | 'other';
  isDone: boolean;
};

const STEP_OF = {
  INSUFFICIENT_BALANCE: 'balance',
  PAY_PASSWORD_NOT_SET: 'pay_password',
  BANK_CARD_NOT_BOUND: 'destination',
  START_UP_FUNDS_NOT_RETURNED: 'start_up_funds',
} as const satisfies Partial<Record<Reason, Step['key']>>;

const COOLING_OFF: Reason = 'WITHDRAWAL_COOLING_OFF';

/** What blocks an exchange, too. It needs no bound account, and checks the balance with the amount. */
const OF_EXCHANGE: readonly Reason[] = ['PAY_PASSWORD_NOT_SET', 'START_UP_FUNDS_NOT_RETURNED', COOLING_OFF];

type Blocked = Pick<Property, 'withdraw_blocked_by'>;

/**
 * The steps before a withdrawal, with completed ones marked. Empty if nothing blocks it but the cooling-off period,
 * which needs no action. An unknown reason still blocks and refers to customer service.
 */
export function withdrawalSteps({ withdraw_blocked_by }: Blocked): Step[] {
  return stepsOf(withdraw_blocked_by, ['pay_password', 'destination']);
}

/** The steps before an exchange that gives wallet money. */
export function exchangeSteps({ withdraw_blocked_by }: Blocked): Step[] {
  return stepsOf(
    withdraw_blocked_by.filter((reason) => blocksExchange(reason)),
    ['pay_password'],
  );
}

/** Whether a reason blocks every exchange that gives wallet money. */
export function blocksExchange(reason: string): boolean {
  return (OF_EXCHANGE as readonly string[]).includes(reason);
}

/** `always` lists the steps that are shown although they are done. */
function stepsOf(reasons: readonly Reason[], always: readonly Step['key'][]): Step[] {
  const blocking = reasons.filter((reason) => reason !== COOLING_OFF);
  if (blocking.length === 0) return [];
  const open = new Set(
    blocking.map((reason): Step['key'] =>
      reason in STEP_OF ? STEP_OF[reason as keyof typeof STEP_OF] : 'other',
    ),
  );
  const first = always.map((key) => ({ key, isDone: !open.has(key) }));
  const only = (['balance', 'start_up_funds', 'other'] as const)
    .filter((key) => open.has(key))
    .map((key) => ({ key, isDone: false }));
  return [...first, ...only];
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
