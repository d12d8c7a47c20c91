/** The geometry of a line chart, apart from React. Floats are fine here: they place pixels, they are no amounts. */
export type Series = { key: string; label: string; values: readonly number[] };

export type Plot = {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
};

/** A round number at or above `max` whose quarters are round too. */
export function niceMax(max: number): number {
  if (max <= 0) return 4;
  const power = 10 ** Math.floor(Math.log10(max));
  const step = [1, 2, 4, 5, 8, 10].find((factor) => factor * power >= max) ?? 10;
  return step * power;
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

export function linePath(values: readonly number[], max: number, plot: Plot): string {
  return values
    .map((value, index) => {
      const command = index === 0 ? 'M' : 'L';
      return `${command}${round(xAt(index, values.length, plot))} ${round(yAt(value, max, plot))}`;
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

/** The point nearest to a horizontal position. */
export function nearestIndex(x: number, count: number, plot: Plot): number {
  if (count <= 1) return 0;
  const inner = plot.width - plot.left - plot.right;
  const index = Math.round(((x - plot.left) / inner) * (count - 1));
  return Math.min(count - 1, Math.max(0, index));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
