import type { Claimable, CouponState } from '@/lib/api/types';

export const STATES = ['unused', 'used', 'expired'] as const satisfies readonly CouponState[];

const SOON_MS = 3 * 86_400_000;

/** Whether an unused coupon expires within three days. */
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
