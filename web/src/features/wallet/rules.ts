import type { FlowEntry, FlowType, MonthlyEntry, Property } from '@/lib/api/types';
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
  'guarantee',
] as const satisfies readonly FlowType[];

export const TYPE_CHOICES = ['all', ...FLOW_TYPES] as const;
export const VIEWS = ['list', 'monthly', 'statement'] as const;

/** The range of the month filter and the monthly view. */
export const MONTHS_BACK = 12;

/** The last `count` months as `YYYY-MM`, newest first, in the user's time zone. */
export function recentMonths(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, back) => {
    const month = new Date(now.getFullYear(), now.getMonth() - back, 1);
    return `${month.getFullYear()}-${String(month.getMonth() + 1).padStart(2, '0')}`;
  });
}

/** The parts of the total assets in display order. Omits withdrawals in progress if there are none. */
export function assetParts(
  property: Property,
): { key: 'to_be_consumed' | 'to_be_settled' | 'withdrawing'; value: string }[] {
  const parts = (['to_be_consumed', 'to_be_settled', 'withdrawing'] as const).map((key) => ({
    key,
    value: property[key],
  }));
  return parts.filter(({ key, value }) => key !== 'withdrawing' || signOf(value) !== 0);
}

/** The non-zero movements of a month by type, in the server's order. */
export function typesOf(entry: MonthlyEntry): { type: string; amount: string }[] {
  return Object.entries(entry.by_type)
    .filter(([, amount]) => signOf(amount) !== 0)
    .map(([type, amount]) => ({ type, amount }));
}

export function isFlowType(type: string): type is FlowType {
  return (FLOW_TYPES as readonly string[]).includes(type);
}

/** The minimum of months in the chart, so that a new wallet's bars are not as wide as the chart. */
const CHART_MONTHS = 6;

/** The chart's months, oldest first: from the first one with a movement, but at least the last six. */
export function chartMonths(items: readonly MonthlyEntry[]): MonthlyEntry[] {
  const oldestFirst = [...items].sort((a, b) => a.month.localeCompare(b.month));
  const first = oldestFirst.findIndex((entry) => typesOf(entry).length > 0);
  const start = Math.max(
    0,
    Math.min(first < 0 ? oldestFirst.length : first, oldestFirst.length - CHART_MONTHS),
  );
  return oldestFirst.slice(start);
}

export type FlowTarget = { label: 'see_plan' | 'see_withdrawal' | 'see_exchange'; to: string };

const OF_PLANS: readonly FlowType[] = ['ad_serving', 'ad_billing', 'profit_sharing', 'discount_amount'];

/** The page of a movement's reference; null if it has none. */
export function targetOf({ type, reference }: Pick<FlowEntry, 'type' | 'reference'>): FlowTarget | null {
  if (!reference) return null;
  const id = encodeURIComponent(reference);
  if (OF_PLANS.includes(type)) return { label: 'see_plan', to: `/plan/detail?id=${id}` };
  if (type === 'manual_payout') return { label: 'see_withdrawal', to: `/wallet/withdraw?id=${id}` };
  if (type === 'exchange') return { label: 'see_exchange', to: '/wallet/foreign-exchange' };
  return null;
}
