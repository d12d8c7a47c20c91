import { useMemo } from 'react';
import { localeOf } from '@/i18n/languages';

/** How long a point is. */
export type Bucket = 'hour' | 'day' | 'month';

/** The first and the last time, and the middle one if it is near the centre. */
export function marksOf(count: number): number[] {
  const hasMiddle = count % 2 === 1 || count >= 10;
  return [...new Set(hasMiddle ? [0, Math.floor((count - 1) / 2), count - 1] : [0, count - 1])];
}

const DAY_MS = 86_400_000;

/** Names points by their bucket: month, date, or time of day. */
export function useTimeText(times: readonly string[], bucket: Bucket, lang: string) {
  return useMemo(() => {
    const at = times.map((time) => new Date(time));
    const spanMs = (at.at(-1)?.getTime() ?? 0) - (at[0]?.getTime() ?? 0);
    const locale = localeOf(lang);
    const { short: shortStyle, full: fullStyle } = timeStyles(bucket, spanMs);
    const short = new Intl.DateTimeFormat(locale, shortStyle);
    const full = new Intl.DateTimeFormat(locale, fullStyle);
    const text = (format: Intl.DateTimeFormat) => (index: number) => {
      const time = at[index];
      return time ? format.format(time) : '';
    };
    return { short: text(short), full: text(full) };
  }, [times, bucket, lang]);
}

type TimeStyles = { short: Intl.DateTimeFormatOptions; full: Intl.DateTimeFormatOptions };

function timeStyles(bucket: Bucket, spanMs: number): TimeStyles {
  const monthly = { month: 'short', year: 'numeric' } as const;
  const daily = { month: 'short', day: 'numeric' } as const;
  const hourly = { hour: 'numeric', minute: '2-digit' } as const;
  if (bucket === 'month') return { short: monthly, full: monthly };
  if (bucket === 'day') return { short: daily, full: { dateStyle: 'medium' } };
  return { short: spanMs > 1.5 * DAY_MS ? daily : hourly, full: { ...daily, ...hourly } };
}
