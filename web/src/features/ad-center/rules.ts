import type { SeriesPoint, StatisticsType } from '@/lib/api/types';

export const RANGES = ['today', 'week', 'month', 'all'] as const;
export type Range = (typeof RANGES)[number];

/** The `type` of the statistics call. */
export function rangeType(range: Range): StatisticsType {
  return RANGE_TYPES[range];
}

const RANGE_TYPES = { today: 1, week: 2, month: 3, all: 4 } as const satisfies Record<Range, StatisticsType>;

/** Whether there is anything to draw. */
export function hasDelivery(series: readonly SeriesPoint[]): boolean {
  return series.some((point) => point.impressions > 0 || point.clicks > 0 || Number(point.consumed) !== 0);
}
