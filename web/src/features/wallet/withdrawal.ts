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
 * What stands before a withdrawal, with what is already done of it; empty when nothing does, or nothing but that withdrawals
 * cool off, which is waited for. A reason that this version does not know still blocks, and customer service can tell more.
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
 * In how many milliseconds to ask again for figures that say until when withdrawals cool off; false when they do not. The
 * server's clock decides, so a little later than by this one is asked once more, and never at a distance that timers cannot.
 */
export function askAgainMs(until: string | null | undefined, now: number): number | false {
  if (!until) return false;
  return Math.min(Math.max(Date.parse(until) - now, SOONEST_MS), LATEST_MS);
}

/** Where a method pays to; null when nothing is bound for it. */
export function destinationOf(method: WithdrawalMethod, bound: Destinations): Destination | null {
  if (method === 'bank_card') return bound.bank_card && { kind: 'bank_card', ...bound.bank_card };
  return bound.wallet_address && { kind: 'wallet_address', ...bound.wallet_address };
}

/** The method that the page begins with: the wanted one, else the first that can be used. */
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

/** What is wrong with a typed amount, the first thing first; null when it can be withdrawn. */
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

/** The most that can leave at once. */
export function allOf(available: string, terms: Pick<WithdrawalTerms, 'max'>): string {
  return smaller(available, terms.max);
}

/** The fee is kept from the amount: what leaves the wallet is the amount, what arrives is less by the fee. */
export function arrivesOf(amount: string, fee: string): string {
  const rest = subtract(amount, fee);
  return signOf(rest) < 0 ? '0.00' : rest;
}

/** The field of the form that a refusal is about; null when it is about something else. */
export function fieldOf(reason: string, field: string | null): 'amount' | 'method' | null {
  if (reason === 'INSUFFICIENT_BALANCE' || reason === 'AMOUNT_OUT_OF_RANGE') return 'amount';
  if (reason === 'BANK_CARD_NOT_BOUND') return 'method';
  return field === 'amount' || field === 'method' ? field : null;
}
