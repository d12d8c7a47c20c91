import type { Plan, PlanPace, PlanPlacement, PlanPlacements } from '@/lib/api/types';
import { signOf, sum } from '@/lib/money';

export type PlacementReason = NonNullable<PlanPlacement['reason']>;

export const REASONS = [
  'chosen',
  'exploring',
  'capped',
  'full',
  'held',
] as const satisfies readonly PlacementReason[];

/** Whether the algorithm places the plan, so that it has a pace. */
export function isPaced({ state, series }: Pick<PlanPace, 'state' | 'series'>): boolean {
  return state !== 'not_paced' && series.length > 0;
}

/** With so many clicks in seven days, a plan has almost learned enough. */
const ALMOST_CLICKS = 30;

export type LearningStage = 'learning' | 'almost';

/** How far a plan has learned; null once it has, and when it is not delivered. */
export function learningStage(
  { clicks, of }: PlanPlacements['learning'],
  { status }: Pick<Plan, 'status'>,
): LearningStage | null {
  if (status !== 'putting' || clicks >= of) return null;
  return clicks < ALMOST_CLICKS ? 'learning' : 'almost';
}

/** What the placements cost together. */
export function totalSpend(items: readonly Pick<PlanPlacement, 'spend'>[]): string {
  return sum(items.map(({ spend }) => spend));
}

/** Whether a placement has brought anything. A list of zeros says no more than that it has not. */
export function wasShown({ impressions, clicks, spend }: PlanPlacement): boolean {
  return impressions > 0 || clicks > 0 || signOf(spend) !== 0;
}

/** Whether there is a click rate: without impressions its interval says nothing. */
export function hasRate({ impressions }: Pick<PlanPlacement, 'impressions'>): boolean {
  return impressions > 0;
}

type Rated = Pick<PlanPlacement, 'impressions' | 'ctr' | 'ctr_low' | 'ctr_high'>;

/** A few impressions have a wide interval, which must not make all others too narrow to see. */
const MOST_OF_RATE = 4;

/** The end of the scale on which the rates of all placements are drawn. */
export function rateScale(items: readonly Rated[]): number {
  const rated = items.filter(hasRate);
  const widest = Math.max(0, ...rated.map(({ ctr_high }) => ctr_high));
  const most = MOST_OF_RATE * Math.max(0, ...rated.map(({ ctr }) => ctr));
  return most > 0 ? Math.min(widest, most) : widest;
}

/** Where a rate and its interval lie on the scale, in percent of its length. */
export function rateMarks({ ctr, ctr_low, ctr_high }: Rated, scale: number) {
  const place = (rate: number) => (scale > 0 ? Math.min(100, (100 * rate) / scale) : 0);
  return { low: place(ctr_low), rate: place(ctr), high: place(ctr_high) };
}

/** More placements are shown on demand. */
export const FIRST_PLACEMENTS = 10;
