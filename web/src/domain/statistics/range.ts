import type { StatisticsType } from '@/lib/api/types';
import { sessionStore } from '@/lib/session/store';
import { createStore } from '@/lib/store';

/** The ranges of the statistics, as in the URL. */
export const RANGES = ['today', 'week', 'month', 'last_7_days', 'last_30_days', 'all'] as const;
export type Range = (typeof RANGES)[number];

const TYPES = {
  today: 1,
  week: 2,
  month: 3,
  all: 4,
  last_7_days: 5,
  last_30_days: 6,
} as const satisfies Record<Range, StatisticsType>;

/** The `type` of the statistics call. */
export function rangeType(range: Range): StatisticsType {
  return TYPES[range];
}

/** The range that the user chose last. The ad centre opens with it when its address names none. */
export const keptRange = createStore<Range>('today');

// The next user starts with today.
sessionStore.subscribe(() => {
  if (sessionStore.get().token === null) keptRange.set('today');
});
