/** Days as `YYYY-MM-DD`, in whatever time zone they were read. */
export type Day = string;

/** From a day to a day, both included. An open end has no limit. */
export type Days = { from?: Day; until?: Day };

export const PERIODS = [
  'all',
  'today',
  'yesterday',
  'last_7_days',
  'last_30_days',
  'month',
  'last_month',
  'custom',
] as const;
export type Period = (typeof PERIODS)[number];

/** The day of a moment in a time zone. */
export function dayIn(zone: string, at: Date | number): Day {
  const format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
}

/** Whether a text names a day that exists. */
export function isDay(text: string | null): text is Day {
  if (!text || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** Calendar days have no time zone, so they are counted in UTC, where each has 24 hours. */
const DAY_MS = 86_400_000;
const timeOf = (day: Day) => Date.parse(`${day}T00:00:00Z`);
const dayOf = (time: number): Day => new Date(time).toISOString().slice(0, 10);

export function shiftDay(day: Day, by: number): Day {
  return dayOf(timeOf(day) + by * DAY_MS);
}

/** The first and the last day of the month `by` months after that of a day. */
export function monthOf(day: Day, by = 0): Required<Days> {
  const [year = 0, month = 1] = day.split('-').map(Number);
  return {
    from: dayOf(Date.UTC(year, month - 1 + by, 1)),
    until: dayOf(Date.UTC(year, month + by, 0)),
  };
}

/** The days of a period that ends with today; none of `all`, and of `custom`, whose days are chosen. */
export function daysOf(period: Period, today: Day): Days {
  switch (period) {
    case 'today':
      return { from: today, until: today };
    case 'yesterday':
      return { from: shiftDay(today, -1), until: shiftDay(today, -1) };
    case 'last_7_days':
      return { from: shiftDay(today, -6), until: today };
    case 'last_30_days':
      return { from: shiftDay(today, -29), until: today };
    case 'month':
      return { from: monthOf(today).from, until: today };
    case 'last_month':
      return monthOf(today, -1);
    default:
      return {};
  }
}

/**
 * The days that a period is compared with: the same part of the month before, else as many days right before. Null
 * without both ends.
 */
export function daysBefore(period: Period, { from, until }: Days): Required<Days> | null {
  if (!from || !until) return null;
  if (period === 'last_month') return monthOf(from, -1);
  if (period === 'month') {
    const before = monthOf(from, -1);
    const sameDay = `${before.from.slice(0, 8)}${until.slice(8)}`;
    // Not every month has a 31st.
    return { from: before.from, until: sameDay < before.until ? sameDay : before.until };
  }
  const length = (timeOf(until) - timeOf(from)) / DAY_MS + 1;
  return { from: shiftDay(from, -length), until: shiftDay(from, -1) };
}

/** The period and its days that a query names. An order that is the wrong way round is turned. */
export function periodOf(query: URLSearchParams, today: Day): { period: Period; days: Days } {
  const wanted = query.get('period');
  const period = PERIODS.find((one) => one === wanted) ?? 'all';
  if (period !== 'custom') return { period, days: daysOf(period, today) };
  const [from, until] = [query.get('from'), query.get('until')].map((day) => (isDay(day) ? day : undefined));
  if (from && until) return { period, days: from <= until ? { from, until } : { from: until, until: from } };
  return { period, days: { ...(from ? { from } : {}), ...(until ? { until } : {}) } };
}
