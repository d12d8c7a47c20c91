import type { Claimable, CouponState } from '@/lib/api/types';
import { signOf } from '@/lib/money';

export const STATES = ['unused', 'used', 'expired'] as const satisfies readonly CouponState[];

const SOON_MS = 3 * 86_400_000;

/** Whether a coupon, or the claiming of one, ends within three days. */
export function expiresSoon(expiresAt: string, now: Date): boolean {
  const left = Date.parse(expiresAt) - now.getTime();
  return left > 0 && left <= SOON_MS;
}

/** Claimable items first, then claimed ones. */
export function unclaimedFirst(items: readonly Claimable[]): Claimable[] {
  return items.toSorted((a, b) => Number(a.claimed) - Number(b.claimed));
}

/** Separates the one-time support of new users from periodic coupons. */
export function byKind(items: readonly Claimable[]): { newUser: Claimable[]; periodic: Claimable[] } {
  return {
    newUser: items.filter(({ kind }) => kind === 'new_user'),
    periodic: items.filter(({ kind }) => kind === 'periodic'),
  };
}

/** Whether a coupon can be used from an amount only. */
export function hasMinimum({ amount_requirement }: Pick<Claimable, 'amount_requirement'>): boolean {
  return signOf(amount_requirement) > 0;
}
