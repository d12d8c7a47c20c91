import type { FlowEntry, FlowType } from '@/lib/api/types';

const OF_PLANS: readonly FlowType[] = ['ad_serving', 'ad_billing', 'profit_sharing', 'discount_amount'];

type OfPlan = Pick<FlowEntry, 'type' | 'plan' | 'reference'>;

/** The page of the plan that a movement belongs to; null if it belongs to none. */
export function planPathOf({ type, plan, reference }: OfPlan): string | null {
  const id = plan?.id ?? (OF_PLANS.includes(type) ? reference : null);
  return id ? `/plan/detail?id=${encodeURIComponent(id)}` : null;
}
