import type { SeriesPoint } from '@/lib/api/types';

export const RANGES = ['today', 'week', 'month', 'all'] as const;
export type Range = (typeof RANGES)[number];

/** The `type` of the statistics call. */
export function rangeType(range: Range): number {
  return RANGES.indexOf(range) + 1;
}

/** Whether there is anything to draw. */
export function hasDelivery(series: readonly SeriesPoint[]): boolean {
  return series.some((point) => point.impressions > 0 || point.clicks > 0 || Number(point.consumed) !== 0);
}
