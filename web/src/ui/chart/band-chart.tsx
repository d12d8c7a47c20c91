import { useTranslation } from 'react-i18next';
import { cx } from '../cx';
import styles from './band-chart.module.css';
import { ChartFrame, Cursor, Grid, TONES } from './chart-frame';
import { niceMax, type Plot, type Point, pathThrough, xOfTime, yAt } from './scale';
import { type Bucket, marksOf, useTimeText } from './time-axis';

/** The values only place the lines. */
export type BandPoint = {
  time: string;
  /** Null of the future. */
  actual: number | null;
  planned: number;
  low: number;
  high: number;
};

type Line = 'actual' | 'planned' | 'low' | 'high';

type Props = {
  label: string;
  points: readonly BandPoint[];
  bucket: Bucket;
  /** When the points were read. The last actual value counts up to then. */
  now: number;
  names: Record<Line | 'band', string>;
  /** The heading of the table's first column, and its cells. */
  heading: string;
  timeAt: (index: number) => string;
  /** The exact value for tooltip and table. */
  textAt: (line: Line, index: number) => string;
};

const LINES: readonly Line[] = ['actual', 'planned', 'low', 'high'];

/** What adds up over time, against what is planned and a band around that. */
export default function BandChart({ label, points, bucket, now, names, heading, timeAt, textAt }: Props) {
  const { t, i18n } = useTranslation();
  const times = points.map(({ time }) => time);
  const marks = useTimeText(times, bucket, i18n.language);
  const span = [Date.parse(times[0] ?? ''), Date.parse(times.at(-1) ?? '')] as const;
  const xAt = (index: number, _: number, plot: Plot) => xOfTime(Date.parse(times[index] ?? ''), span, plot);
  // What is known ends at the last point that has a value.
  const present = Math.max(0, points.filter(({ actual }) => actual !== null).length - 1);
  const isOpen = Date.parse(times[present] ?? '') > now;
  return (
    <ChartFrame
      label={label}
      series={LINES.map((key) => ({ key, label: names[key] }))}
      legend={(['actual', 'planned', 'band'] as const).map((key) => ({ key, label: names[key] }))}
      count={points.length}
      present={present}
      heading={heading}
      nameAt={(index) =>
        isOpen && index === present ? t('chart.so_far_at', { time: timeAt(index) }) : timeAt(index)
      }
      markAt={marks.short}
      marksOf={marksOf}
      textAt={(line, index) => textAt(line as Line, index)}
      xAt={xAt}
      nearest={(x, count, plot) => {
        const distance = (index: number) => Math.abs(xAt(index, count, plot) - x);
        return times.reduce((best, _, index) => (distance(index) < distance(best) ? index : best), 0);
      }}
    >
      {(plot, index) => <Drawing plot={plot} points={points} span={span} now={now} index={index} />}
    </ChartFrame>
  );
}

type DrawingProps = {
  plot: Plot;
  points: readonly BandPoint[];
  span: readonly [number, number];
  now: number;
  index: number | null;
};

function Drawing({ plot, points, span, now, index }: DrawingProps) {
  const max = niceMax(
    Math.max(0, ...points.flatMap(({ actual, planned, high }) => [actual ?? 0, planned, high])),
  );
  const lineOf = (line: 'planned' | 'low' | 'high'): Point[] =>
    points.map((point) => ({
      x: xOfTime(Date.parse(point.time), span, plot),
      y: yAt(point[line], max, plot),
    }));
  const [planned, low, high] = [lineOf('planned'), lineOf('low'), lineOf('high')];
  const actual = points.flatMap(({ time, actual: value }): Point[] =>
    // The last value is that of now, not of the end of its point.
    value === null
      ? []
      : [
          {
            x: xOfTime(Math.min(Date.parse(time), Math.max(now, span[0])), span, plot),
            y: yAt(value, max, plot),
          },
        ],
  );
  const chosen = index === null ? undefined : planned[index];
  const end = actual.at(-1);
  return (
    <svg viewBox={`0 0 ${plot.width} ${plot.height}`} preserveAspectRatio="none" aria-hidden="true">
      <Grid plot={plot} max={max} />
      <path className={styles.area} d={`${pathThrough([...high, ...low.toReversed()])}Z`} />
      <path className={cx(styles.planned, TONES[1])} d={pathThrough(planned)} />
      <path className={cx(styles.actual, TONES[0])} d={pathThrough(actual)} />
      {end ? <circle className={cx(styles.end, TONES[0])} cx={end.x} cy={end.y} r={4.5} /> : null}
      {chosen ? <Cursor x={chosen.x} plot={plot} /> : null}
    </svg>
  );
}
