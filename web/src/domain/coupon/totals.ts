import type { Coupon } from '@/lib/api/types';
import { add, compare, percentOf, smaller, subtract } from '@/lib/money';

type Benefit = Pick<Coupon, 'mode' | 'value'>;

/** The totals of an order with a coupon: the price, the coupon's worth, and the ad budget. */
export type PutTotals = { paid: string; worth: string; budget: string };

/** The percentage of a discount as a plain decimal. The server may append a percent sign. */
export function percentText(value: string): string {
  return value.replace(/\s*%$/, '');
}

export function putTotals(amount: string, coupon: Benefit | null): PutTotals {
  if (!coupon) return { paid: amount, worth: '0.00', budget: amount };
  switch (coupon.mode) {
    case 'discount': {
      const worth = percentOf(amount, percentText(coupon.value));
      return { paid: subtract(amount, worth), worth, budget: amount };
    }
    case 'deduction': {
      const worth = smaller(coupon.value, amount);
      return { paid: subtract(amount, worth), worth, budget: amount };
    }
    case 'addition':
      return { paid: amount, worth: coupon.value, budget: add(amount, coupon.value) };
  }
}

export function meetsRequirement(coupon: Pick<Coupon, 'amount_requirement'>, amount: string): boolean {
  return compare(amount, coupon.amount_requirement) >= 0;
}

/** What an amount misses a coupon's requirement by; null if it meets it. */
export function missingFor(coupon: Pick<Coupon, 'amount_requirement'>, amount: string): string | null {
  return meetsRequirement(coupon, amount) ? null : subtract(coupon.amount_requirement, amount);
}
