import { roots } from '@/domain/keys';
import type { CouponState } from '@/lib/api/types';

export const couponKeys = {
  all: roots.coupons,
  list: (state: CouponState) => [...roots.coupons, 'list', state] as const,
};
