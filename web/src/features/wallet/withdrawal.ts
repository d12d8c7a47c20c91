import type {
  Destination,
  Destinations,
  Property,
  Reason,
  WithdrawalMethod,
  WithdrawalStatus,
  WithdrawalTerms,
} from '@/lib/api/types';
import { compare, parseTypedAmount, signOf, smaller, subtract } from '@/lib/money';
import type { Tone } from '@/ui/card';

export const WITHDRAW_VIEWS = ['form', 'records'] as const;

export const STATUS_TONES: Record<WithdrawalStatus, Tone> = {
  pending: 'warning',
  paid: 'positive',
  rejected: 'negative',
};

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

/**
 * The steps before a withdrawal, with completed ones marked. Empty if nothing blocks it but the cooling-off period,
 * which needs no action. An unknown reason still blocks and refers to customer service.
 */
export function stepsOf({ withdraw_blocked_by }: Pick<Property, 'withdraw_blocked_by'>): Step[] {
  const blocking = withdraw_blocked_by.filter((reason) => reason !== 'WITHDRAWAL_COOLING_OFF');
  if (blocking.length === 0) return [];
  const open = new Set(
    blocking.map((reason): Step['key'] =>
      reason in STEP_OF ? STEP_OF[reason as keyof typeof STEP_OF] : 'other',
    ),
  );
  const always = (['pay_password', 'destination'] as const).map((key) => ({ key, isDone: !open.has(key) }));
  const only = (['balance', 'start_up_funds', 'other'] as const)
    .filter((key) => open.has(key))
    .map((key) => ({ key, isDone: false }));
  return [...always, ...only];
}

const SOONEST_MS = 10_000;
const LATEST_MS = 3_600_000;

/**
 * The refetch interval while withdrawals cool off; false if they do not. The server's clock decides, so after the end
 * by the local clock it polls with a minimum interval. Capped by what timers support.
 */
export function askAgainMs(until: string | null | undefined, now: number): number | false {
  if (!until) return false;
  return Math.min(Math.max(Date.parse(until) - now, SOONEST_MS), LATEST_MS);
}

/** A method's destination; null if none is bound. */
export function destinationOf(method: WithdrawalMethod, bound: Destinations): Destination | null {
  if (method === 'bank_card') return bound.bank_card && { kind: 'bank_card', ...bound.bank_card };
  return bound.wallet_address && { kind: 'wallet_address', ...bound.wallet_address };
}

/** The initial method: the wanted one, else the first usable one. */
export function startMethod(
  wanted: string | null,
  terms: readonly WithdrawalTerms[],
  bound: Destinations,
): WithdrawalMethod | null {
  const usable = terms.filter(({ enabled, method }) => enabled && destinationOf(method, bound) !== null);
  return (usable.find(({ method }) => method === wanted) ?? usable[0])?.method ?? null;
}

export type AmountError =
  | 'amount_required'
  | 'amount_invalid'
  | 'amount_zero'
  | 'insufficient'
  | 'below_minimum'
  | 'above_maximum';

/** The first error of a typed amount; null if it is valid. */
export function checkWithdrawal(
  typed: string,
  available: string,
  terms: Pick<WithdrawalTerms, 'min' | 'max'>,
): AmountError | null {
  if (typed.trim() === '') return 'amount_required';
  const amount = parseTypedAmount(typed);
  if (amount === null) return 'amount_invalid';
  if (signOf(amount) === 0) return 'amount_zero';
  if (compare(amount, available) > 0) return 'insufficient';
  if (compare(amount, terms.min) < 0) return 'below_minimum';
  if (compare(amount, terms.max) > 0) return 'above_maximum';
  return null;
}

/** The maximum amount of one withdrawal. */
export function allOf(available: string, terms: Pick<WithdrawalTerms, 'max'>): string {
  return smaller(available, terms.max);
}

/** The amount that arrives. The fee is deducted from the amount that leaves the wallet. */
export function arrivesOf(amount: string, fee: string): string {
  const rest = subtract(amount, fee);
  return signOf(rest) < 0 ? '0.00' : rest;
}

/** The form field of a refusal; null if it is about something else. */
export function fieldOf(reason: string, field: string | null): 'amount' | 'method' | null {
  if (reason === 'INSUFFICIENT_BALANCE' || reason === 'AMOUNT_OUT_OF_RANGE') return 'amount';
  if (reason === 'BANK_CARD_NOT_BOUND') return 'method';
  return field === 'amount' || field === 'method' ? field : null;
}
