import type { FlowType, MonthlyEntry, Property } from '@/lib/api/types';
import { signOf } from '@/lib/money';

export const FLOW_TYPES = [
  'system_top_up',
  'ad_serving',
  'ad_billing',
  'profit_sharing',
  'discount_amount',
  'manual_payout',
  'system_chargeback',
  'virtual_recharge_deduction',
  'open_membership',
  'exchange',
  'start_up_funds',
] as const satisfies readonly FlowType[];

export const TYPE_CHOICES = ['all', ...FLOW_TYPES] as const;
export const VIEWS = ['list', 'monthly'] as const;

/** How far back the month filter and the monthly view reach. */
export const MONTHS_BACK = 12;

/** The last `count` months as `YYYY-MM`, the current one first, in the user's own time zone. */
export function recentMonths(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, back) => {
    const month = new Date(now.getFullYear(), now.getMonth() - back, 1);
    return `${month.getFullYear()}-${String(month.getMonth() + 1).padStart(2, '0')}`;
  });
}

/** The parts that the total assets are made of, in the order shown; what is zero and unusual is left out. */
export function assetParts(
  property: Property,
): { key: 'to_be_consumed' | 'to_be_settled' | 'withdrawing'; value: string }[] {
  const parts = (['to_be_consumed', 'to_be_settled', 'withdrawing'] as const).map((key) => ({
    key,
    value: property[key],
  }));
  return parts.filter(({ key, value }) => key !== 'withdrawing' || signOf(value) !== 0);
}

/** The movements of a month by type, the largest first, without those that were zero. */
export function typesOf(entry: MonthlyEntry): { type: string; amount: string }[] {
  return Object.entries(entry.by_type)
    .filter(([, amount]) => signOf(amount) !== 0)
    .map(([type, amount]) => ({ type, amount }));
}

export function isFlowType(type: string): type is FlowType {
  return (FLOW_TYPES as readonly string[]).includes(type);
}
