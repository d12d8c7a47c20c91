import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { localeOf } from '@/i18n/languages';
import { cx } from '../cx';
import styles from './chart.module.css';
import { ChartFrame, Cursor, Grid, TONES } from './chart-frame';
import { areaPath, linePath, nearestIndex, niceMax, type Plot, type Series, xAt, yAt } from './scale';

type Props = {
  label: string;
  times: readonly string[];
  /** One or two series over the same times. The values only place the line. */
  series: readonly Series[];
  /** The exact value of a point for tooltip and table. */
  textAt: (series: string, index: number) => string;
};

/** A line chart over time. */
export default function Chart({ label, times, series, textAt }: Props) {
  const { t, i18n } = useTranslation();
  const timeText = useTimeText(times, i18n.language);
  const max = niceMax(Math.max(0, ...series.flatMap((line) => line.values)));
  return (
    <ChartFrame
      label={label}
      series={series}
      count={times.length}
      heading={t('chart.time')}
      nameAt={timeText.full}
      markAt={timeText.short}
      marksOf={marksOf}
      textAt={textAt}
      xAt={xAt}
      nearest={nearestIndex}
    >
      {(plot, index) => <Lines plot={plot} max={max} series={series} index={index} />}
    </ChartFrame>
  );
}

/** The first and the last time, and the middle one if it is near the centre. */
function marksOf(count: number): number[] {
  const hasMiddle = count % 2 === 1 || count >= 10;
  return [...new Set(hasMiddle ? [0, Math.floor((count - 1) / 2), count - 1] : [0, count - 1])];
}

type LinesProps = { plot: Plot; max: number; series: readonly Series[]; index: number | null };

function Lines({ plot, max, series, index }: LinesProps) {
  const first = series[0];
  return (
    <svg viewBox={`0 0 ${plot.width} ${plot.height}`} preserveAspectRatio="none" aria-hidden="true">
      <Grid plot={plot} max={max} />
      {first ? <path className={styles.area} d={areaPath(first.values, max, plot)} /> : null}
      {series.map((line, position) => (
        <path
          key={line.key}
          className={cx(styles.line, TONES[position])}
          d={linePath(line.values, max, plot)}
        />
      ))}
      {index === null ? null : <Cursor x={xAt(index, first?.values.length ?? 0, plot)} plot={plot} />}
      {series.map((line, position) => {
        // A single point draws no line, so it gets a dot; otherwise only the active one does.
        const at = index ?? (line.values.length === 1 ? 0 : null);
        return at === null ? null : (
          <circle
            key={line.key}
            className={cx(styles.dot, TONES[position])}
            cx={xAt(at, line.values.length, plot)}
            cy={yAt(line.values[at] ?? 0, max, plot)}
            r={4.5}
          />
        );
      })}
    </svg>
  );
}

const DAY_MS = 86_400_000;

/** Names points by their resolution: month, date, or time of day. */
function useTimeText(times: readonly string[], lang: string) {
  return useMemo(() => {
    const at = times.map((time) => new Date(time));
    const first = at[0]?.getTime() ?? 0;
    const last = at.at(-1)?.getTime() ?? 0;
    const stepMs = at.length > 1 ? (last - first) / (at.length - 1) : 0;
    const locale = localeOf(lang);
    const { short: shortStyle, full: fullStyle } = timeStyles(stepMs, last - first);
    const short = new Intl.DateTimeFormat(locale, shortStyle);
    const full = new Intl.DateTimeFormat(locale, fullStyle);
    const text = (format: Intl.DateTimeFormat) => (index: number) => {
      const time = at[index];
      return time ? format.format(time) : '';
    };
    return { short: text(short), full: text(full) };
  }, [times, lang]);
}

type TimeStyles = { short: Intl.DateTimeFormatOptions; full: Intl.DateTimeFormatOptions };

function timeStyles(stepMs: number, spanMs: number): TimeStyles {
  const monthly = { month: 'short', year: 'numeric' } as const;
  const daily = { month: 'short', day: 'numeric' } as const;
  const hourly = { hour: 'numeric', minute: '2-digit' } as const;
  if (stepMs >= 27 * DAY_MS) return { short: monthly, full: monthly };
  if (stepMs >= 0.9 * DAY_MS) return { short: daily, full: { dateStyle: 'medium' } };
  return { short: spanMs > 1.5 * DAY_MS ? daily : hourly, full: { ...daily, ...hourly } };
}
