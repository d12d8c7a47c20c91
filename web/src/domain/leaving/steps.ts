import type { Property, Reason } from '@/lib/api/types';
import { blocksExchange, COOLING_OFF, FROZEN, type Leaving } from './rules';

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

type Blocked = Pick<Property, 'withdraw_blocked_by'>;

/**
 * The steps before money can leave, with completed ones marked. Empty if nothing blocks it but the cooling-off period
 * and the owner's stop, which have notices of their own. An unknown reason still blocks a withdrawal and refers to customer service.
 */
export function stepsBefore(leaving: Leaving, { withdraw_blocked_by }: Blocked): Step[] {
  if (leaving === 'withdrawal') return stepsOf(withdraw_blocked_by, ['pay_password', 'destination']);
  return stepsOf(withdraw_blocked_by.filter(blocksExchange), ['pay_password']);
}

/** `always` lists the steps that are shown although they are done. */
function stepsOf(reasons: readonly Reason[], always: readonly Step['key'][]): Step[] {
  const blocking = reasons.filter((reason) => reason !== COOLING_OFF && reason !== FROZEN);
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
