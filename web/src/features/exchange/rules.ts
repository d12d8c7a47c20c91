import { type LeaveLimits, leavable } from '@/domain/leaving/rules';
import type { Acceptor, AcceptorKind, ExchangeOffer, ExchangeOrder, ExchangeStatus } from '@/lib/api/types';
import { add, compare, parseTypedAmount, smaller, subtract, toMinor } from '@/lib/money';
import type { Tone } from '@/ui/card';

export const KINDS = ['personal', 'enterprise'] as const satisfies readonly AcceptorKind[];

export const STATUS_TONES: Record<ExchangeStatus, Tone> = {
  pending: 'warning',
  completed: 'positive',
  cancelled: 'neutral',
  expired: 'neutral',
};

/** A rating from fewer exchanges than these says nothing. */
const RATED_FROM = 10;

export function isRated({ completed_orders }: Pick<Acceptor, 'completed_orders'>): boolean {
  return completed_orders >= RATED_FROM;
}

/** Currencies whose minor unit is not 1/100 (ISO 4217). The server has the same list. */
const ODD_DECIMALS: Record<number, readonly string[]> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
  3: 'BHD IQD JOD KWD LYD OMR TND'.split(' '),
  4: ['CLF', 'UYW'],
};
const USUAL_DECIMALS = 2;
const RATE_DECIMALS = 8;

function decimalsOf(currency: string): number {
  const odd = Object.entries(ODD_DECIMALS).find(([, codes]) => codes.includes(currency));
  return odd ? Number(odd[0]) : USUAL_DECIMALS;
}

/**
 * The other side of an amount at a rate, rounded down to the currency's minor unit like the server; null if that is
 * zero.
 */
export function counterAmount(amount: string, rate: string, currency: string): string | null {
  const decimals = decimalsOf(currency);
  const [whole = '0', fraction = ''] = rate.split('.');
  const scaledRate = BigInt(whole + fraction.padEnd(RATE_DECIMALS, '0'));
  const scale = 10n ** BigInt(RATE_DECIMALS + USUAL_DECIMALS);
  const minor = (toMinor(amount) * scaledRate * 10n ** BigInt(decimals)) / scale;
  if (minor <= 0n) return null;
  if (decimals === 0) return String(minor);
  const digits = String(minor).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

type Range = { min: string; max: string };

type RangedOffer = Range & Pick<ExchangeOffer, 'direction'>;

/** The range that the offer, the platform and, for wallet money, the limits of what may leave allow. */
export function limitsOf(offer: RangedOffer, platform: Range | undefined, leaving: LeaveLimits): Range {
  const both = platform
    ? {
        min: compare(offer.min, platform.min) < 0 ? platform.min : offer.min,
        max: smaller(offer.max, platform.max),
      }
    : { min: offer.min, max: offer.max };
  return leavesWallet(offer) ? leavable(both, leaving) : both;
}

export type AmountError = 'amount_invalid' | 'below_minimum' | 'above_maximum' | 'too_small' | 'insufficient';

type Terms = Pick<ExchangeOffer, 'direction' | 'currency' | 'rate'>;

/** The first error of a typed amount; null if it is valid. */
export function checkAmount(
  typed: string,
  offer: Terms,
  limits: Range,
  available: string | undefined,
): AmountError | null {
  const amount = parseTypedAmount(typed);
  if (amount === null || compare(amount, '0') === 0) return 'amount_invalid';
  if (compare(amount, limits.min) < 0) return 'below_minimum';
  if (compare(amount, limits.max) > 0) return 'above_maximum';
  if (counterAmount(amount, offer.rate, offer.currency) === null) return 'too_small';
  if (leavesWallet(offer) && available !== undefined && compare(amount, available) > 0) return 'insufficient';
  return null;
}

/** Whether the user gives wallet money, which is reserved with the order. Otherwise money arrives at the end. */
export function leavesWallet({ direction }: Pick<ExchangeOffer, 'direction'>): boolean {
  return direction === 'wallet_to_currency';
}

export function balanceAfter(offer: Terms, amount: string, available: string): string {
  return leavesWallet(offer) ? subtract(available, amount) : add(available, amount);
}

/** The open order, if any. Only one can be open, so it is the newest. */
export function currentOf(orders: readonly ExchangeOrder[] | undefined): ExchangeOrder | null {
  const newest = orders?.[0];
  return newest?.status === 'pending' ? newest : null;
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;
/** Later ends are shown as a date, not as a countdown. */
const COUNTDOWN_MS = 48 * HOUR;

/** The time left as `hh:mm:ss`; null if it is too long for a countdown. */
export function countdownText(leftMs: number): string | null {
  if (leftMs >= COUNTDOWN_MS) return null;
  const seconds = Math.max(0, Math.floor(leftMs / SECOND));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
