import { add, subtract } from '@/lib/money';
import type { StaffPlanDetail } from './plan-status';

/** What settling a plan posts, as amounts of money. */
export type Settlement = {
  /** Revenue that goes to the user's wallet. */
  paidOut: string;
  /** Revenue that the platform keeps. */
  platformShare: string;
  /** Budget that was not consumed and that the user had paid. */
  backToWallet: string;
  /** Budget that was not consumed and that the coupon had paid. */
  backToCoupon: string;
};

/**
 * From the plan's own figures: `result` is what is paid out, less the user's part of the spend, with the platform's
 * share already taken off.
 */
export function settlementOf(plan: StaffPlanDetail): Settlement {
  const paidOut = subtract(add(plan.result, plan.consumed), plan.coupon_share);
  const backToCoupon = subtract(plan.discount_amount, plan.coupon_share);
  return {
    paidOut,
    platformShare: subtract(plan.revenue, paidOut),
    backToWallet: subtract(plan.to_be_consumed, backToCoupon),
    backToCoupon,
  };
}
