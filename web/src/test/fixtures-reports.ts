import type { DeliveryReport, ReportTotals } from '@/lib/api/types';
import { at } from './fixtures';

const HOUR = 3_600_000;

export const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

export function report(over: Partial<DeliveryReport> = {}): DeliveryReport {
  return {
    source: 'adnet',
    report_id: '2026-11-20-0001',
    revision: 1,
    time: at(-HOUR),
    placement: null,
    impressions: 9_120,
    clicks: 190,
    spend: '310.0125',
    charged: '310.0125',
    revenue: '374.73',
    estimated: false,
    simulated: false,
    import: null,
    ...over,
  };
}

const file = (line: number) => ({ time: at(-3 * HOUR), sha256: SHA256, line });

/** They sum to the figures of the plan in `fixtures.plan`. */
export const reports: DeliveryReport[] = [
  report(),
  report({
    report_id: '2026-11-20-0002',
    revision: 2,
    time: at(-4 * HOUR),
    placement: { id: 'placement-2', name: 'Harbour News, top of the page' },
    impressions: 11_400,
    clicks: 241,
    spend: '402.187512',
    charged: '402.187512',
    revenue: '468.90',
    import: file(2),
  }),
  report({
    source: 'nordmedia',
    report_id: 'NM-88412',
    time: at(-7 * HOUR),
    impressions: 10_060,
    clicks: 215,
    spend: '340.099988',
    charged: '340.099988',
    revenue: '413.19',
    estimated: true,
    import: file(14),
  }),
  report({
    source: 'simulator',
    report_id: 'plan-1/17',
    time: at(-30 * HOUR),
    impressions: 5_900,
    clicks: 120,
    spend: '188.00',
    charged: '188.00',
    revenue: '242.10',
    simulated: true,
  }),
];

export function totals(over: Partial<ReportTotals> = {}): ReportTotals {
  return {
    impressions: 36_480,
    clicks: 766,
    spend: '1240.30',
    reported: '1240.30',
    revenue: '1498.92',
    ...over,
  };
}
