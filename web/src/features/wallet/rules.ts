import { planPathOf } from '@/domain/flow/plan';
import { figurePath } from '@/domain/statistics/figure';
import type { FlowEntry, FlowType, Monthly, MonthlyEntry, Property, WalletAccount } from '@/lib/api/types';
import { signOf, subtract, sum } from '@/lib/money';

/** The balances of a wallet. The entries of each add up to it. */
export const ACCOUNTS = [
  'available',
  'to_be_consumed',
  'to_be_settled',
  'withdrawing',
] as const satisfies readonly WalletAccount[];

const FLOW_TYPES = [
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

/** The types that move a balance. */
const TYPES_OF: Record<WalletAccount, readonly FlowType[]> = {
  available: FLOW_TYPES.filter((type) => type !== 'ad_billing' && type !== 'discount_amount'),
  to_be_consumed: ['ad_serving', 'ad_billing', 'discount_amount'],
  to_be_settled: ['profit_sharing'],
  withdrawing: ['manual_payout'],
};

/** The choices of the type filter for a balance. */
export function typesIn(account: WalletAccount): readonly ('all' | FlowType)[] {
  return ['all', ...TYPES_OF[account]];
}

/** The fund details of a balance. */
export function fundsPath(account: WalletAccount, filter: { type?: FlowType; month?: string } = {}): string {
  const query = new URLSearchParams({ ...(account === 'available' ? {} : { account }), ...filter });
  return query.size > 0 ? `/wallet/fund-details?${query}` : '/wallet/fund-details';
}

/** What a part of the total assets is made of: plans, whose page leads on to the movements, or movements. */
export function partPath(part: AssetPart): string {
  return part === 'withdrawing' ? fundsPath(part) : figurePath(part);
}

/** A balance's field of the wallet's figures. */
export const FIGURE_OF = {
  available: 'available_funds',
  to_be_consumed: 'to_be_consumed',
  to_be_settled: 'to_be_settled',
  withdrawing: 'withdrawing',
} as const satisfies Record<WalletAccount, keyof Property>;

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

export type AssetPart = 'to_be_consumed' | 'to_be_settled' | 'withdrawing';

/** The months with a statement, newest first: from that of the wallet's first entry. */
export function statementMonths(now: Date, monthly: Pick<Monthly, 'first_month'> | undefined): string[] {
  if (!monthly) return recentMonths(now, MONTHS_BACK);
  const first = monthly.first_month;
  if (!first) return recentMonths(now, 1);
  const [year = 0, month = 0] = first.split('-').map(Number);
  const count = (now.getFullYear() - year) * 12 + now.getMonth() + 2 - month;
  return recentMonths(now, Math.max(1, count));
}

/** The parts of the total assets in display order. Omits withdrawals in progress if there are none. */
export function assetParts(property: Property): { key: AssetPart; value: string }[] {
  const parts = (['to_be_consumed', 'to_be_settled', 'withdrawing'] as const).map((key) => ({
    key,
    value: property[key],
  }));
  return parts.filter(({ key, value }) => key !== 'withdrawing' || signOf(value) !== 0);
}

/** The non-zero movements of a month by type, in the server's order. Omits types of a later server. */
export function typesOf(entry: MonthlyEntry): { type: FlowType; amount: string }[] {
  return Object.entries(entry.by_type)
    .map(([type, amount]) => ({ type, amount }))
    .filter(
      (sum): sum is { type: FlowType; amount: string } => isFlowType(sum.type) && signOf(sum.amount) !== 0,
    );
}

function isFlowType(type: string): type is FlowType {
  return (FLOW_TYPES as readonly string[]).includes(type);
}

export type MonthLine = {
  key: 'deposits' | 'revenue' | 'spent' | 'withdrawn' | 'lent' | 'other';
  amount: string;
};

/** What a month was made of, without what is zero. The lines add up to `net`; what has no line of its own is `other`. */
export function linesOf(entry: MonthlyEntry): MonthLine[] {
  const named: MonthLine[] = [
    { key: 'deposits', amount: entry.deposits },
    { key: 'revenue', amount: entry.revenue },
    { key: 'spent', amount: subtract('0', entry.spent) },
    { key: 'withdrawn', amount: subtract('0', entry.withdrawn) },
    { key: 'lent', amount: entry.lent },
  ];
  const other = subtract(entry.net, sum(named.map(({ amount }) => amount)));
  const lines: MonthLine[] = [...named, { key: 'other', amount: other }];
  return lines.filter(({ amount }) => signOf(amount) !== 0);
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

/** The page of what a movement belongs to; null if it belongs to nothing. */
export function targetOf(entry: Pick<FlowEntry, 'type' | 'plan' | 'reference'>): FlowTarget | null {
  const plan = planPathOf(entry);
  if (plan) return { label: 'see_plan', to: plan };
  if (!entry.reference) return null;
  const id = encodeURIComponent(entry.reference);
  if (entry.type === 'manual_payout') return { label: 'see_withdrawal', to: `/wallet/withdraw?id=${id}` };
  if (entry.type === 'exchange') return { label: 'see_exchange', to: `/wallet/foreign-exchange?order=${id}` };
  return null;
}
