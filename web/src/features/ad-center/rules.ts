import { unitsOf } from '@/domain/statistics/change';
import type { Claimable, Follow, Plan, PlanStatus, SeriesPoint, Statistics } from '@/lib/api/types';
import { signOf } from '@/lib/money';

/** Whether the series has anything to draw. */
export function hasDelivery(series: readonly SeriesPoint[]): boolean {
  return series.some((point) => point.impressions > 0 || point.clicks > 0 || Number(point.consumed) !== 0);
}

/** Whether the figures of a range contain no delivery report. */
export function isUndelivered({
  impressions,
  consumed,
}: Pick<Statistics, 'impressions' | 'consumed'>): boolean {
  return impressions === 0 && signOf(consumed) === 0;
}

export type Mark = 'estimated' | 'simulated';
export type Share = { key: 'impressions' | 'clicks' | 'consumed' | 'revenue'; value: string | number };

/** What of the figures is marked, without shares of nothing. */
export function markedShares({
  estimated,
  simulated,
}: Pick<Statistics, 'estimated' | 'simulated'>): Record<Mark, Share[]> {
  const money = ({ spend, revenue }: Statistics['estimated']): Share[] => [
    { key: 'consumed', value: spend },
    { key: 'revenue', value: revenue },
  ];
  const counts: Share[] = [
    { key: 'impressions', value: simulated.impressions },
    { key: 'clicks', value: simulated.clicks },
  ];
  const isSome = ({ value }: Share) => unitsOf(value) !== 0n;
  return {
    estimated: money(estimated).filter(isSome),
    simulated: [...money(simulated), ...counts].filter(isSome),
  };
}

/** Whether a figure contains a marked share. The profit contains those of its parts. */
export function isMarked(
  statistics: Pick<Statistics, 'estimated' | 'simulated'>,
  figure: Share['key'] | 'profit',
): boolean {
  const { estimated, simulated } = markedShares(statistics);
  const ofProfit = ['consumed', 'revenue'];
  return [...estimated, ...simulated].some(({ key }) =>
    figure === 'profit' ? ofProfit.includes(key) : key === figure,
  );
}

/** The first steps of an account, in the order in which they make sense. */
export const START_STEPS = ['coupon', 'deposit', 'plan', 'secure'] as const;
export type StartStep = (typeof START_STEPS)[number];

/** What decides which steps are done. Undefined: not known yet. */
export type StartFacts = {
  claimable: readonly Pick<Claimable, 'kind' | 'claimed'>[] | undefined;
  total_assets: string | undefined;
  counts: Partial<Record<PlanStatus, number>> | undefined;
  has_pay_password: boolean | undefined;
};

/** The steps that are done. A plan that waits for the user's amount is not placed yet. */
export function doneSteps({ claimable, total_assets, counts, has_pay_password }: StartFacts): Set<StartStep> {
  const placed = Object.entries(counts ?? {}).some(([status, count]) => status !== 'waiting' && count > 0);
  const isDone: Record<StartStep, boolean | undefined> = {
    coupon: claimable?.some(({ kind, claimed }) => kind === 'new_user' && claimed),
    // Money in plans counts: somebody must have paid it in.
    deposit: total_assets !== undefined && signOf(total_assets) > 0,
    plan: placed,
    secure: has_pay_password,
  };
  return new Set(START_STEPS.filter((step) => isDone[step]));
}

/** When the first of the plans expires; null if none does. */
export function firstExpiry(plans: readonly Pick<Plan, 'expire_time'>[]): string | null {
  const times = plans.flatMap(({ expire_time }) => expire_time ?? []);
  return times.reduce<string | null>((first, time) => (first === null || time < first ? time : first), null);
}

const LEVELS_SHOWN = 5;

/** The part of the scale around a level. Levels start at 1 and have no known end. */
export function levelsAround(level: number): number[] {
  const first = Math.max(1, level - Math.floor(LEVELS_SHOWN / 2));
  return Array.from({ length: LEVELS_SHOWN }, (_, index) => first + index);
}

/** The current follow, if it is among the loaded records. */
export function currentFollow(follows: readonly Follow[], currentId: string | null): Follow | null {
  return follows.find((follow) => follow.operator_id === currentId && follow.ended_at === null) ?? null;
}

export type FollowError = 'required' | 'unknown' | 'current';

/** The key below `operated.error` for a refusal; null if it is not about the id. */
export function followErrorOf(reason: string): FollowError | null {
  const errors: Record<string, FollowError> = { FOLLOW_ID_ERROR: 'unknown', FOLLOW_ID_CURRENT: 'current' };
  return errors[reason] ?? null;
}
