import type {
  Destination,
  Destinations,
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
  cancelled: 'neutral',
};

/** Whether the money is available again. */
export function cameBack(status: WithdrawalStatus): boolean {
  return status === 'rejected' || status === 'cancelled';
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

const OF_AMOUNT = ['INSUFFICIENT_BALANCE', 'AMOUNT_OUT_OF_RANGE', 'DAY_LIMIT_REACHED'];

/** The form field of a refusal; null if it is about something else. */
export function fieldOf(reason: string, field: string | null): 'amount' | 'method' | null {
  if (OF_AMOUNT.includes(reason)) return 'amount';
  if (reason === 'BANK_CARD_NOT_BOUND') return 'method';
  return field === 'amount' || field === 'method' ? field : null;
}
