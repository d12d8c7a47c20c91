import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { numbers } from '@/i18n/format';
import { localeOf } from '@/i18n/languages';
import { cx } from '../cx';
import styles from './chart-frame.module.css';
import { type Plot, type Series, ticks, yAt } from './scale';

type Named = Pick<Series, 'key' | 'label'>;

type Props = {
  label: string;
  series: readonly Named[];
  /** What the legend shows instead of the series. */
  legend?: readonly Named[];
  count: number;
  /** The position that is described until another is chosen; the last one by default. */
  present?: number;
  /** The heading of the table's first column. */
  heading: string;
  /** The name of a position on the axis, in full and as a tick label. */
  nameAt: (index: number) => string;
  markAt: (index: number) => string;
  /** The positions with a tick label. */
  marksOf: (count: number, plot: Plot) => readonly number[];
  /** The exact value for tooltip and table. */
  textAt: (series: string, index: number) => string;
  xAt: (index: number, count: number, plot: Plot) => number;
  nearest: (x: number, count: number, plot: Plot) => number;
  /** Centres every tick label, including the first and the last. */
  centred?: boolean;
  /** What a dashed line means, if there is one. */
  dashed?: string | undefined;
  /** There is an axis at the end, too. */
  hasEndAxis?: boolean;
  /** In pixels. */
  height?: number;
  children: (plot: Plot, index: number | null) => ReactNode;
};

const HEIGHT = 192;
const FALLBACK_WIDTH = 340;
/** How far grid lines reach beyond the last point. */
const EDGE = 6;

/** Classes that set `--tone` to the colour of the first and the second series, and of a band. */
export const TONES = [styles.a, styles.b, styles.band];

/**
 * The frame of every chart: axis, tooltip, keyboard control and a data table. A plain SVG of about 3 kB; charting
 * libraries start at 20 kB.
 */
export function ChartFrame(props: Props) {
  const { label, series, count, nameAt, textAt, xAt, nearest, dashed, hasEndAxis, children } = props;
  const { height = HEIGHT, legend = series, present = count - 1 } = props;
  const [box, width] = useWidth();
  const [active, setActive] = useState<number | null>(null);
  const plot: Plot = { width, height, left: 40, right: hasEndAxis ? 44 : EDGE, top: 10, bottom: 24 };
  const index = active === null ? null : Math.min(active, count - 1);
  const describe = (position: number) =>
    [nameAt(position), ...series.map((line) => `${line.label} ${textAt(line.key, position)}`)].join(', ');

  const onPointer = (event: PointerEvent<HTMLDivElement>) => {
    const bounds = event.currentTarget.getBoundingClientRect();
    setActive(nearest(event.clientX - bounds.left, count, plot));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && index !== null) {
      // Closes the tooltip and not what the chart is in.
      event.preventDefault();
      setActive(null);
    }
    const next = nextPlace(event.key, index ?? present + 1, count);
    if (next === undefined) return;
    event.preventDefault();
    setActive(Math.min(count - 1, Math.max(0, next)));
  };

  return (
    <figure className={styles.figure}>
      {legend.length > 1 || dashed ? <Legend series={legend} dashed={dashed} /> : null}
      <div
        ref={box}
        className={styles.plot}
        style={{ blockSize: `${height}px` }}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={(index ?? present) + 1}
        aria-valuetext={describe(index ?? present)}
        onPointerDown={onPointer}
        onPointerMove={onPointer}
        onPointerLeave={() => setActive(null)}
        onKeyDown={onKeyDown}
        onBlur={() => setActive(null)}
      >
        {children(plot, index)}
        <Axis {...props} plot={plot} />
        {index === null ? null : (
          <div className={styles.tip} style={tipPosition(xAt(index, count, plot), width)}>
            <span>{nameAt(index)}</span>
            {series.map((line) => (
              <span key={line.key}>
                {line.label} <strong>{textAt(line.key, index)}</strong>
              </span>
            ))}
          </div>
        )}
      </div>
      <Table {...props} />
    </figure>
  );
}

/** The grid lines with their values, and those of the axis at the end. */
export function Grid({ plot, max, endMax }: { plot: Plot; max: number; endMax?: number | undefined }) {
  const { i18n } = useTranslation();
  const compact = numbers(localeOf(i18n.language), { notation: 'compact', maximumFractionDigits: 1 });
  const end = plot.width - plot.right + EDGE;
  return ticks(max).map((value, place) => {
    const y = yAt(value, max, plot);
    return (
      <g key={value}>
        <line className={styles.grid} x1={plot.left} x2={end} y1={y} y2={y} />
        <text className={styles.axis} x={plot.left - 8} y={y + 4} textAnchor="end">
          {compact(value)}
        </text>
        {endMax === undefined ? null : (
          <text className={styles.axis} x={end + 4} y={y + 4}>
            {compact(ticks(endMax)[place] ?? 0)}
          </text>
        )}
      </g>
    );
  });
}

/** The line at the active position. */
export function Cursor({ x, plot }: { x: number; plot: Plot }) {
  return <line className={styles.cursor} x1={x} x2={x} y1={plot.top} y2={plot.height - plot.bottom} />;
}

function Legend({ series, dashed }: Pick<Props, 'series' | 'dashed'>) {
  const named = series.length > 1 ? series : [];
  return (
    <ul className={styles.legend}>
      {named.map((line, position) => (
        <li key={line.key}>
          <span className={cx(styles.swatch, TONES[position])} aria-hidden="true" />
          {line.label}
        </li>
      ))}
      {dashed ? (
        <li>
          <span className={cx(styles.swatch, styles.dashes)} aria-hidden="true" />
          {dashed}
        </li>
      ) : null}
    </ul>
  );
}

function Axis({ plot, count, markAt, marksOf, xAt, centred }: Props & { plot: Plot }) {
  const marks = marksOf(count, plot);
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
          textAnchor={centred ? 'middle' : anchorOf(position, marks.length)}
        >
          {markAt(index)}
        </text>
      ))}
    </svg>
  );
}

function Table({ label, series, count, heading, nameAt, textAt }: Props) {
  const { t } = useTranslation();
  const places = Array.from({ length: count }, (_, index) => index);
  return (
    <details className={styles.table}>
      <summary>{t('chart.as_table')}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scroll containers must be reachable by keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label={label}>
        <table>
          <thead>
            <tr>
              <th scope="col">{heading}</th>
              {series.map((line) => (
                <th key={line.key} scope="col">
                  {line.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {places.map((place) => (
              <tr key={place}>
                <td>{nameAt(place)}</td>
                {series.map((line) => (
                  <td key={line.key}>{textAt(line.key, place)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

function nextPlace(key: string, at: number, count: number): number | undefined {
  return {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    Home: 0,
    End: count - 1,
  }[key];
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
  // A layout effect, so that nothing is painted at the wrong width.
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
