import type { CouponState } from '@/lib/api/types';

export const STATES = ['unused', 'used', 'expired'] as const satisfies readonly CouponState[];

const SOON_MS = 3 * 86_400_000;

/** Whether an unused coupon runs out within three days. */
export function expiresSoon(expiresAt: string, now: Date): boolean {
  const left = Date.parse(expiresAt) - now.getTime();
  return left > 0 && left <= SOON_MS;
}
