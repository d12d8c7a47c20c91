import { expect, test } from 'vitest';
import type { StaffPlanDetail } from './plan-status';
import { settlementOf } from './settlement';

const settled = (figures: Partial<StaffPlanDetail>) => settlementOf(figures as StaffPlanDetail);

test('a plan without coupon or share pays out its revenue and gives back what is left', () => {
  expect(
    settled({
      consumed: '40.00',
      coupon_share: '0.00',
      discount_amount: '0.00',
      result: '15.50',
      revenue: '55.50',
      to_be_consumed: '260.00',
    }),
  ).toEqual({ paidOut: '55.50', platformShare: '0.00', backToWallet: '260.00', backToCoupon: '0.00' });
});

test('a coupon gets back its part, and the platform keeps its share', () => {
  // A budget of 300.00, of which a coupon paid 50.00. 120.00 are consumed, 20.00 of them the coupon's part. Of the
  // revenue of 100.00 the platform keeps a tenth, so the wallet gains 90.00 less its own 100.00 of the spend.
  expect(
    settled({
      consumed: '120.00',
      coupon_share: '20.00',
      discount_amount: '50.00',
      result: '-10.00',
      revenue: '100.00',
      to_be_consumed: '180.00',
    }),
  ).toEqual({ paidOut: '90.00', platformShare: '10.00', backToWallet: '150.00', backToCoupon: '30.00' });
});
