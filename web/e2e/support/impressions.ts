import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Ten thousand real impressions and the sums that pages must show for them, computed from the file alone. The file is
 * not part of this repository; tests that need it skip without it.
 */
export const IMPRESSIONS_CSV =
  process.env.ADFOLIO_IMPRESSIONS_CSV ??
  fileURLToPath(new URL('../../../../shared/data/impressions.csv', import.meta.url));

export type Impression = { line: number; time: Date; item: number; clicks: number };

export type Pricing = { model: 'cpm' | 'cpc'; cost: string; revenue: string };

export type Sums = { impressions: number; clicks: number; consumed: string; revenue: string; profit: string };

const DAY_MS = 86_400_000;

export function hasImpressions(): boolean {
  return existsSync(IMPRESSIONS_CSV);
}

/** The file with its times shifted by whole days, so that its last day is today. */
export function loadImpressions(): { csv: string; shiftDays: number; rows: Impression[] } {
  const csv = readFileSync(IMPRESSIONS_CSV, 'utf8');
  const rows = csv
    .trimEnd()
    .split('\n')
    .map((line, index): Impression => {
      const [time = '', item = '', , clicks = ''] = line.split(',');
      // Browsers and Node parse milliseconds; microseconds do not matter here.
      const iso = time.replace(' ', 'T').replace(/(\.\d{3})\d*/, '$1');
      return { line: index + 1, time: new Date(iso), item: Number(item), clicks: Number(clicks) };
    })
    .slice(1);
  const dayOf = (ms: number) => Math.floor(ms / DAY_MS);
  const last = Math.max(...rows.map(({ time }) => dayOf(time.getTime())));
  const shiftDays = dayOf(Date.now()) - last;
  for (const row of rows) row.time = new Date(row.time.getTime() + shiftDays * DAY_MS);
  return { csv, shiftDays, rows };
}

/** What the rows cost and bring in: exact in billionths, rounded half to even once at the end. */
export function sumsOf(rows: readonly Impression[], pricingOf: (row: Impression) => Pricing): Sums {
  let clicks = 0;
  let spend = 0n;
  let revenue = 0n;
  for (const row of rows) {
    const pricing = pricingOf(row);
    clicks += row.clicks;
    spend += worth(pricing, pricing.cost, row);
    revenue += worth(pricing, pricing.revenue, row);
  }
  const spendCents = centsHalfEven(spend);
  const revenueCents = centsHalfEven(revenue);
  return {
    impressions: rows.length,
    clicks,
    consumed: decimal(spendCents),
    revenue: decimal(revenueCents),
    profit: decimal(revenueCents - spendCents),
  };
}

/** The rows of an ad centre range, by the calendar of a time zone. */
export function rowsOf(
  rows: readonly Impression[],
  range: 'today' | 'week' | 'month' | 'all',
  zone: string,
): Impression[] {
  const dates = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  const today = dates.format(new Date());
  const start = {
    today,
    week: mondayOf(today),
    month: `${today.slice(0, 8)}01`,
    all: '0000-00-00',
  }[range];
  return rows.filter(({ time }) => dates.format(time) >= start);
}

function mondayOf(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}

function worth({ model }: Pricing, price: string, row: Impression): bigint {
  const [whole = '0', fraction = ''] = price.split('.');
  const nanos = BigInt(whole + fraction.padEnd(9, '0'));
  return model === 'cpm' ? nanos / 1000n : nanos * BigInt(row.clicks);
}

function centsHalfEven(nanos: bigint): bigint {
  const cent = 10_000_000n;
  const quotient = nanos / cent;
  const twice = (nanos % cent) * 2n;
  return twice > cent || (twice === cent && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

export function decimal(cents: bigint): string {
  const absolute = cents < 0n ? -cents : cents;
  const digits = absolute.toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function cents(text: string): bigint {
  return BigInt(text.replace('.', ''));
}
