import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { localeOf } from '@/i18n/languages';
import { cx } from '../cx';
import styles from './chart.module.css';
import { areaPath, linePath, nearestIndex, niceMax, type Plot, type Series, ticks, xAt, yAt } from './scale';

type Props = {
  label: string;
  times: readonly string[];
  /** One or two series over the same times; the values only place the line. */
  series: readonly Series[];
  /** The exact text of a point, as the tooltip and the table show it. */
  textAt: (series: string, index: number) => string;
};

const HEIGHT = 192;
const FALLBACK_WIDTH = 340;

/**
 * A line chart in plain SVG, about 3 kB where a charting library takes 20 and more. A pointer or the arrow keys walk
 * over the points, and a table says the same in text.
 */
export default function Chart({ label, times, series, textAt }: Props) {
  const { t, i18n } = useTranslation();
  const [box, width] = useWidth();
  const [active, setActive] = useState<number | null>(null);
  const timeText = useTimeText(times, i18n.language);
  const count = times.length;
  const max = niceMax(Math.max(0, ...series.flatMap((line) => line.values)));
  const plot: Plot = { width, height: HEIGHT, left: 40, right: 6, top: 10, bottom: 24 };
  const index = active === null ? null : Math.min(active, count - 1);
  const describe = (position: number) =>
    [timeText.full(position), ...series.map((line) => `${line.label} ${textAt(line.key, position)}`)].join(
      ', ',
    );

  const onPointer = (event: PointerEvent<HTMLDivElement>) => {
    const bounds = event.currentTarget.getBoundingClientRect();
    setActive(nearestIndex(event.clientX - bounds.left, count, plot));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = index ?? count;
    const next = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (event.key === 'Escape') setActive(null);
    if (next === undefined) return;
    event.preventDefault();
    setActive(Math.min(count - 1, Math.max(0, next)));
  };

  return (
    <figure className={styles.figure}>
      {series.length > 1 ? <Legend series={series} /> : null}
      <div
        ref={box}
        className={styles.plot}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={(index ?? count - 1) + 1}
        aria-valuetext={describe(index ?? count - 1)}
        onPointerDown={onPointer}
        onPointerMove={onPointer}
        onPointerLeave={() => setActive(null)}
        onKeyDown={onKeyDown}
        onBlur={() => setActive(null)}
      >
        <Lines plot={plot} max={max} series={series} index={index} lang={i18n.language} />
        <TimeAxis plot={plot} count={count} text={timeText.short} />
        {index === null ? null : (
          <div className={styles.tip} style={tipPosition(xAt(index, count, plot), width)}>
            <span>{timeText.full(index)}</span>
            {series.map((line) => (
              <span key={line.key}>
                {line.label} <strong>{textAt(line.key, index)}</strong>
              </span>
            ))}
          </div>
        )}
      </div>
      <details className={styles.table}>
        <summary>{t('chart.as_table')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
        <section className={styles.scroll} tabIndex={0} aria-label={label}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('chart.time')}</th>
                {series.map((line) => (
                  <th key={line.key} scope="col">
                    {line.label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((time, position) => (
                <tr key={time}>
                  <td>{timeText.full(position)}</td>
                  {series.map((line) => (
                    <td key={line.key}>{textAt(line.key, position)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  );
}

const TONES = [styles.a, styles.b];

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <ul className={styles.legend}>
      {series.map((line, position) => (
        <li key={line.key}>
          <span className={cx(styles.swatch, TONES[position])} aria-hidden="true" />
          {line.label}
        </li>
      ))}
    </ul>
  );
}

type LinesProps = { plot: Plot; max: number; series: readonly Series[]; index: number | null; lang: string };

function Lines({ plot, max, series, index, lang }: LinesProps) {
  const compact = new Intl.NumberFormat(localeOf(lang), { notation: 'compact', maximumFractionDigits: 1 });
  const first = series[0];
  return (
    <svg viewBox={`0 0 ${plot.width} ${plot.height}`} preserveAspectRatio="none" aria-hidden="true">
      {ticks(max).map((value) => (
        <g key={value}>
          <line
            className={styles.grid}
            x1={plot.left}
            x2={plot.width}
            y1={yAt(value, max, plot)}
            y2={yAt(value, max, plot)}
          />
          <text className={styles.axis} x={plot.left - 8} y={yAt(value, max, plot) + 4} textAnchor="end">
            {compact.format(value)}
          </text>
        </g>
      ))}
      {first ? <path className={styles.area} d={areaPath(first.values, max, plot)} /> : null}
      {series.map((line, position) => (
        <path
          key={line.key}
          className={cx(styles.line, TONES[position])}
          d={linePath(line.values, max, plot)}
        />
      ))}
      {index === null ? null : (
        <line
          className={styles.cursor}
          x1={xAt(index, first?.values.length ?? 0, plot)}
          x2={xAt(index, first?.values.length ?? 0, plot)}
          y1={plot.top}
          y2={plot.height - plot.bottom}
        />
      )}
      {series.map((line, position) => {
        // A single point draws no line, so it is marked; else only the chosen one is.
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

/** First and last time below the plot, and the middle one where it stands near the middle. */
function TimeAxis({ plot, count, text }: { plot: Plot; count: number; text: (index: number) => string }) {
  const hasMiddle = count % 2 === 1 || count >= 10;
  const marks = [...new Set(hasMiddle ? [0, Math.floor((count - 1) / 2), count - 1] : [0, count - 1])];
  return (
    <svg
      viewBox={`0 0 ${plot.width} ${plot.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      style={{ position: 'absolute', inset: 0 }}
    >
      {marks.map((index, position) => (
        <text
          key={index}
          className={styles.axis}
          x={xAt(index, count, plot)}
          y={plot.height - 5}
          textAnchor={anchorOf(position, marks.length)}
        >
          {text(index)}
        </text>
      ))}
    </svg>
  );
}

function anchorOf(position: number, marks: number): 'start' | 'middle' | 'end' {
  if (marks === 1) return 'middle';
  if (position === 0) return 'start';
  return position === marks - 1 ? 'end' : 'middle';
}

function tipPosition(x: number, width: number) {
  return x > width / 2 ? { insetInlineEnd: `${width - x + 10}px` } : { insetInlineStart: `${x + 10}px` };
}

function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FALLBACK_WIDTH);
  // Before the first paint, so that no line is ever seen in the wrong width.
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setWidth(element.clientWidth || FALLBACK_WIDTH);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, width] as const;
}

const DAY_MS = 86_400_000;

/** Points are named by what tells them apart: the month, the date, or the time of the day. */
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
