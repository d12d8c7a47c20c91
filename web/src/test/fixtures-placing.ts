import type { PacePoint, PlanPace, PlanPlacement, PlanPlacements } from '@/lib/api/types';
import { at } from './fixtures';

const DAY = 86_400_000;

const DAYS = 14;

/** Most of the traffic is in the first days. */
const traffic = (day: number) => 1 - 0.62 ** day;

/** The plan of `fixtures.plan`, of whose fourteen days two have gone by. */
function pacePoint(day: number): PacePoint {
  const money = (amount: number) => Math.min(2_000, Math.max(0, amount)).toFixed(2);
  const planned = (2_000 * traffic(day)) / traffic(DAYS);
  return {
    time: at((day - 2) * DAY),
    planned: money(planned),
    low: money(planned - 60),
    high: money(planned + 60),
    spent: [money(0), '748.10', '1240.30'][day] ?? null,
  };
}

export function pace(over: Partial<PlanPace> = {}): PlanPace {
  return {
    series: Array.from({ length: DAYS + 1 }, (_, day) => pacePoint(day)),
    state: 'on_pace',
    bucket: 'day',
    ...over,
  };
}

export function placement(over: Partial<PlanPlacement> = {}): PlanPlacement {
  return {
    placement: { id: 'placement-1', name: 'Harbour News, feed' },
    impressions: 14_200,
    clicks: 341,
    ctr: 0.024014,
    ctr_low: 0.021618,
    ctr_high: 0.026668,
    spend: '520.40',
    share: 0.4,
    reason: 'capped',
    simulated: false,
    ...over,
  };
}

const NOT_SHOWN = { impressions: 0, clicks: 0, ctr: 0, ctr_low: 0, ctr_high: 1, spend: '0.00' } as const;

const SHOWN: PlanPlacement[] = [
  placement(),
  placement({
    placement: { id: 'placement-2', name: 'Harbour News, top of the page' },
    impressions: 11_400,
    clicks: 241,
    ctr: 0.02114,
    ctr_low: 0.018656,
    ctr_high: 0.023947,
    spend: '402.19',
    share: 0.31,
    reason: 'chosen',
  }),
  placement({
    placement: { id: 'placement-3', name: 'Puzzle break' },
    impressions: 5_900,
    clicks: 120,
    ctr: 0.020339,
    ctr_low: 0.017037,
    ctr_high: 0.024266,
    spend: '188.00',
    share: 0.17,
    reason: 'full',
    simulated: true,
  }),
  placement({
    placement: { id: 'placement-4', name: 'Nord Sport, results' },
    impressions: 820,
    clicks: 9,
    ctr: 0.010976,
    ctr_low: 0.005784,
    ctr_high: 0.020729,
    spend: '31.02',
    share: 0.08,
    reason: 'exploring',
  }),
  placement({
    placement: { id: 'placement-5', name: 'Weather today' },
    impressions: 160,
    clicks: 0,
    ctr: 0,
    ctr_low: 0,
    ctr_high: 0.023446,
    spend: '4.90',
    share: 0,
    reason: 'held',
  }),
];

const CANDIDATES = Array.from({ length: 6 }, (_, index) =>
  placement({
    ...NOT_SHOWN,
    placement: { id: `placement-${index + 6}`, name: `Evening magazine ${index + 1}` },
    share: 0.006,
    reason: 'exploring',
  }),
);

const WITHOUT = placement({
  placement: null,
  impressions: 4_000,
  clicks: 55,
  ctr: 0.01375,
  ctr_low: 0.010579,
  ctr_high: 0.017855,
  spend: '93.79',
  share: null,
  reason: null,
});

export function placements(over: Partial<PlanPlacements> = {}): PlanPlacements {
  return {
    items: [...SHOWN, ...CANDIDATES, WITHOUT],
    learning: { clicks: 12, of: 50 },
    reported_until: at(-3_600_000),
    ...over,
  };
}
