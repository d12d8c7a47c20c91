import { useTranslation } from 'react-i18next';
import { cx } from '../cx';
import styles from './chart.module.css';
import { ChartFrame, Cursor, Grid, TONES } from './chart-frame';
import {
  areaPath,
  axesOf,
  barRects,
  linePath,
  nearestIndex,
  type Plot,
  type Series,
  xAt,
  yAt,
} from './scale';
import { marksOf, useTimeText } from './time-axis';

type Props = {
  label: string;
  times: readonly string[];
  /** How long a point is. */
  bucket: 'hour' | 'day' | 'month';
  /** The last point still grows. It is dashed. */
  isOpen: boolean;
  /** One or two series over the same times. The values only place the line. */
  series: readonly Series[];
  /** The exact value of a point for tooltip and table. */
  textAt: (series: string, index: number) => string;
  /** In pixels. */
  height?: number;
};

/** A line chart over time. A single point is a bar. */
export default function Chart({ label, times, bucket, isOpen, series, textAt, height }: Props) {
  const { t, i18n } = useTranslation();
  const timeText = useTimeText(times, bucket, i18n.language);
  const isLast = (index: number) => index === times.length - 1;
  const nameAt = (index: number) =>
    isOpen && isLast(index) ? t('chart.so_far_at', { time: timeText.full(index) }) : timeText.full(index);
  const axes = axesOf(series);
  return (
    <ChartFrame
      label={label}
      series={series}
      count={times.length}
      heading={t('chart.time')}
      nameAt={nameAt}
      dashed={isOpen ? t('chart.so_far') : undefined}
      markAt={timeText.short}
      marksOf={marksOf}
      textAt={textAt}
      xAt={xAt}
      nearest={nearestIndex}
      hasEndAxis={axes.length > 1}
      {...(height ? { height } : {})}
    >
      {(plot, index) => <Drawing plot={plot} axes={axes} series={series} index={index} isOpen={isOpen} />}
    </ChartFrame>
  );
}

type Axes = ReturnType<typeof axesOf>;

type DrawingProps = {
  plot: Plot;
  axes: Axes;
  series: readonly Series[];
  index: number | null;
  isOpen: boolean;
};

/** The top of a series' own axis. */
function maxOf({ unit }: Series, axes: Axes): number {
  return axes.find((axis) => axis.unit === unit)?.max ?? 0;
}

function Drawing({ plot, axes, series, index, isOpen }: DrawingProps) {
  const first = series[0];
  const count = first?.values.length ?? 0;
  return (
    <svg viewBox={`0 0 ${plot.width} ${plot.height}`} preserveAspectRatio="none" aria-hidden="true">
      <Grid plot={plot} max={axes[0]?.max ?? 0} endMax={axes[1]?.max} />
      {index === null ? null : <Cursor x={xAt(index, count, plot)} plot={plot} />}
      {count === 1 ? (
        <Single plot={plot} axes={axes} series={series} isOpen={isOpen} />
      ) : (
        <Lines plot={plot} axes={axes} series={series} index={index} isOpen={isOpen} />
      )}
    </svg>
  );
}

function Lines({ plot, axes, series, index, isOpen }: DrawingProps) {
  const first = series[0];
  return (
    <>
      {first ? <path className={styles.area} d={areaPath(first.values, maxOf(first, axes), plot)} /> : null}
      {series.map((line, position) => {
        const { key, values } = line;
        const max = maxOf(line, axes);
        const closed = isOpen ? values.length - 1 : values.length;
        return (
          <g key={key} className={cx(styles.line, TONES[position])}>
            <path d={linePath(values, max, plot, 0, closed)} />
            {isOpen ? <path className={styles.dashed} d={linePath(values, max, plot, closed - 1)} /> : null}
          </g>
        );
      })}
      {index === null
        ? null
        : series.map((line, position) => (
            <circle
              key={line.key}
              className={cx(styles.dot, TONES[position])}
              cx={xAt(index, line.values.length, plot)}
              cy={yAt(line.values[index] ?? 0, maxOf(line, axes), plot)}
              r={4.5}
            />
          ))}
    </>
  );
}

/** One point draws no line. */
function Single({ plot, axes, series, isOpen }: Omit<DrawingProps, 'index'>) {
  return series.map((line, position) => {
    const [bar] = barRects(line.values, { position, of: series.length }, maxOf(line, axes), plot);
    return (
      <rect
        key={line.key}
        {...bar}
        className={cx(styles.bar, isOpen && styles.open, TONES[position])}
        rx={Math.min(3, bar?.height ?? 0)}
      />
    );
  });
}
