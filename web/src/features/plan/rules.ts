import { meetsRequirement, putTotals } from '@/domain/coupon/totals';
import type { Audience, Coupon, Plan, PlanDetail, PlanStatus } from '@/lib/api/types';
import { compare, parseTypedAmount, signOf } from '@/lib/money';
import type { Tone } from '@/ui/card';

export const PUSHES = ['all', 'official', 'non_official'] as const;
export type Push = (typeof PUSHES)[number];

export const STATUSES = [
  'waiting',
  'matching',
  'putting',
  'put_finished',
  'put_failed',
  'waiting_settlement',
  'settled',
] as const satisfies readonly PlanStatus[];

export const STATUS_TABS = ['all', ...STATUSES] as const;
export type StatusTab = (typeof STATUS_TABS)[number];

export const STATUS_TONES: Record<PlanStatus, Tone> = {
  waiting: 'warning',
  matching: 'info',
  putting: 'brand',
  put_failed: 'negative',
  put_finished: 'neutral',
  waiting_settlement: 'warning',
  settled: 'positive',
};

/** The count of a status tab; the sum for the tab of all. */
export function countOf(
  counts: { [status: string]: number } | undefined,
  tab: StatusTab,
): number | undefined {
  if (!counts) return undefined;
  if (tab !== 'all') return counts[tab] ?? 0;
  return STATUSES.reduce((total, status) => total + (counts[status] ?? 0), 0);
}

/** Whether an operator pushed the plan and it waits for the user's amount. */
export function isPushed({ status }: Pick<Plan, 'status'>): boolean {
  return status === 'waiting';
}

/** Whether the coupon paid a part of the spend. */
export function hasCouponShare({ coupon_share }: Pick<Plan, 'coupon_share'>): boolean {
  return signOf(coupon_share) > 0;
}

export function detailPath({ id }: Pick<Plan, 'id'>): string {
  return `/plan/detail?id=${encodeURIComponent(id)}`;
}

/** The path where a pushed plan is placed. */
export function putPath({ id, product }: Pick<Plan, 'id'> & { product: { id: string } }): string {
  return `/plan/goods-detail?id=${encodeURIComponent(product.id)}&plan=${encodeURIComponent(id)}`;
}

export type Step = {
  status: PlanStatus;
  time: string | null;
  reason: string | null;
  state: 'done' | 'current' | 'ahead';
};

const PATH: readonly PlanStatus[] = ['matching', 'putting', 'put_finished', 'waiting_settlement', 'settled'];

/** A plan's past steps, and the ones ahead unless it has ended. */
export function stepsOf({ status, timeline }: Pick<PlanDetail, 'status' | 'timeline'>): Step[] {
  const past = timeline.map((step, index): Step => {
    const isLast = index === timeline.length - 1;
    return { ...step, state: isLast && !isFinal(status) ? 'current' : 'done' };
  });
  if (isFinal(status)) return past;
  const ahead = PATH.slice(PATH.indexOf(status) + 1).filter(
    (next) => !timeline.some((step) => step.status === next),
  );
  return [
    ...past,
    ...ahead.map((next): Step => ({ status: next, time: null, reason: null, state: 'ahead' })),
  ];
}

export function isFinal(status: PlanStatus): boolean {
  return status === 'settled' || status === 'put_failed';
}

/** Whether the plan can still change by itself, so that its page polls. */
export function isRunning({ status }: Pick<Plan, 'status'>): boolean {
  return !isFinal(status) && status !== 'waiting';
}

/** Whether its delivery has begun, so that there is something to say of pace and placements. */
export function hasBegun({ status }: Pick<Plan, 'status'>): boolean {
  return status !== 'waiting' && status !== 'matching' && status !== 'put_failed';
}

export type AmountError =
  | 'amount_invalid'
  | 'below_minimum'
  | 'not_in_range'
  | 'coupon_requirement'
  | 'insufficient';

export type PutLimits = { min: string; max: string; available: string | undefined };

/** The first error of a typed amount; null if it is valid. */
export function checkAmount(typed: string, limits: PutLimits, coupon: Coupon | null): AmountError | null {
  const amount = parseTypedAmount(typed);
  if (amount === null) return 'amount_invalid';
  if (compare(amount, limits.min) < 0) return 'below_minimum';
  if (compare(amount, limits.max) > 0) return 'not_in_range';
  if (coupon && !meetsRequirement(coupon, amount)) return 'coupon_requirement';
  const { paid } = putTotals(amount, coupon);
  if (limits.available !== undefined && compare(paid, limits.available) > 0) return 'insufficient';
  return null;
}

/** The place that explains a refusal. Null: the sheet itself, since no input would change it. */
export type RefusalPlace = 'amount' | 'coupon' | 'plan';

export function refusalPlace({
  field,
  reason,
}: {
  field: string | null;
  reason: string;
}): RefusalPlace | null {
  if (reason === 'PLAN_NOT_PUTTABLE') return 'plan';
  if (reason.startsWith('COUPON_') || field === 'user_coupon_id') return 'coupon';
  return field === 'amount' ? 'amount' : null;
}

/** Suggested amounts: the minimum, a few round ones, and the most the user can pay. */
export function quickAmounts({ min, max, available }: PutLimits): string[] {
  const most = available !== undefined && compare(available, max) < 0 ? available : max;
  if (compare(most, min) < 0) return [min];
  const round = ['100.00', '500.00', '1000.00', '5000.00', '10000.00'];
  const between = round.filter((amount) => compare(amount, min) > 0 && compare(amount, most) < 0);
  const chosen = [min, ...between.slice(0, 2), most];
  return chosen.filter((amount, index) => chosen.indexOf(amount) === index);
}

/** The age range as shown; both ends can be open. */
export function ageRange({
  age_min,
  age_max,
}: Pick<Audience, 'age_min' | 'age_max'>): { min: number; max: number } | null {
  return age_min > 0 || age_max > 0 ? { min: age_min, max: age_max } : null;
}

const HUES = [168, 204, 228, 18, 42, 286] as const;

/** A stable colour for a product without a picture. */
export function hueOf(name: string): number {
  let hash = 7;
  for (const char of name) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 65_521;
  return HUES[hash % HUES.length] ?? HUES[0];
}
