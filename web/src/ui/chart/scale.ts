/** The geometry of charts. Floats are fine here: they are pixels, not amounts. */
export type Series = {
  key: string;
  label: string;
  values: readonly number[];
  /** Series of different units have an axis each. */
  unit?: string;
};

export type Plot = {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
};

/** A round number at or above `max` with round quarters. */
export function niceMax(max: number): number {
  if (max <= 0) return 4;
  const power = 10 ** Math.floor(Math.log10(max));
  const step = [1, 2, 4, 5, 8, 10].find((factor) => factor * power >= max) ?? 10;
  return step * power;
}

/** The top of the axis of each unit, in the order of the series. At most two: at the start and at the end. */
export function axesOf(series: readonly Series[]): { unit: string | undefined; max: number }[] {
  const units = [...new Set(series.map(({ unit }) => unit))];
  return units.map((unit) => {
    const own = series.filter((line) => line.unit === unit);
    return { unit, max: niceMax(Math.max(0, ...own.flatMap(({ values }) => values))) };
  });
}

export function ticks(max: number): number[] {
  return [0, 0.5, 1].map((share) => share * max);
}

export function xAt(index: number, count: number, plot: Plot): number {
  const inner = plot.width - plot.left - plot.right;
  return count <= 1 ? plot.left + inner / 2 : plot.left + (inner * index) / (count - 1);
}

export function yAt(value: number, max: number, plot: Plot): number {
  const inner = plot.height - plot.top - plot.bottom;
  return plot.top + inner * (1 - value / max);
}

/** The line through the points from `start` to `end`, exclusive. */
export function linePath(
  values: readonly number[],
  max: number,
  plot: Plot,
  start = 0,
  end = values.length,
): string {
  return values
    .slice(start, end)
    .map((value, offset) => {
      const command = offset === 0 ? 'M' : 'L';
      return `${command}${round(xAt(start + offset, values.length, plot))} ${round(yAt(value, max, plot))}`;
    })
    .join('');
}

export function areaPath(values: readonly number[], max: number, plot: Plot): string {
  if (values.length === 0) return '';
  const base = round(yAt(0, max, plot));
  const start = round(xAt(0, values.length, plot));
  const end = round(xAt(values.length - 1, values.length, plot));
  return `${linePath(values, max, plot)}L${end} ${base}L${start} ${base}Z`;
}

/** Where a time lies between the first and the last one. */
export function xOfTime(time: number, [from, to]: readonly [number, number], plot: Plot): number {
  return plot.left + (innerWidth(plot) * (time - from)) / Math.max(1, to - from);
}

export type Point = { x: number; y: number };

export function pathThrough(points: readonly Point[]): string {
  return points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join('');
}

/** The index nearest to a horizontal position. */
export function nearestIndex(x: number, count: number, plot: Plot): number {
  if (count <= 1) return 0;
  const inner = plot.width - plot.left - plot.right;
  const index = Math.round(((x - plot.left) / inner) * (count - 1));
  return Math.min(count - 1, Math.max(0, index));
}

/** The centre of a band, the slot of a bar. */
export function bandCentre(index: number, count: number, plot: Plot): number {
  return plot.left + (innerWidth(plot) * (index + 0.5)) / Math.max(1, count);
}

/** The band at a horizontal position. */
export function bandAt(x: number, count: number, plot: Plot): number {
  const index = Math.floor(((x - plot.left) / innerWidth(plot)) * count);
  return Math.min(count - 1, Math.max(0, index));
}

/** The width of a tick label below a bar, in pixels. */
const MARK_WIDTH = 44;

/** The bands whose tick labels fit, always including the last. */
export function bandMarks(count: number, plot: Plot): number[] {
  const step = Math.max(1, Math.ceil((count * MARK_WIDTH) / innerWidth(plot)));
  return Array.from({ length: count }, (_, index) => index).filter(
    (index) => (count - 1 - index) % step === 0,
  );
}

/** The share of a band that its bars fill, and the maximum width of a bar. */
const FILLED = 0.62;
const BAR_MAX = 18;
const GAP = 2;

export type Bar = { x: number; y: number; width: number; height: number };

/** The bars of one series. Bars of the same band stand side by side around its centre. */
export function barRects(
  values: readonly number[],
  { position, of }: { position: number; of: number },
  max: number,
  plot: Plot,
): Bar[] {
  const band = innerWidth(plot) / Math.max(1, values.length);
  const width = Math.min(BAR_MAX, (band * FILLED - GAP * (of - 1)) / of);
  const offset = (position - of / 2) * (width + GAP) + GAP / 2;
  const base = yAt(0, max, plot);
  return values.map((value, index) => {
    const y = yAt(value, max, plot);
    return {
      x: round(bandCentre(index, values.length, plot) + offset),
      y: round(y),
      width: round(width),
      // The smallest amount must stay visible.
      height: value > 0 ? Math.max(1, round(base - y)) : 0,
    };
  });
}

function innerWidth(plot: Plot): number {
  return plot.width - plot.left - plot.right;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
