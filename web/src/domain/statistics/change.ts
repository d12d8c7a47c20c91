import { toMinor } from '@/lib/money';

/** The change from one figure to another in whole percent; null without a figure to compare with. */
export function changePercent(before: string | number, now: string | number): number | null {
  const base = unitsOf(before);
  if (base === 0n) return null;
  const difference = unitsOf(now) - base;
  const size = Number(((difference < 0n ? -difference : difference) * 1000n) / (base < 0n ? -base : base));
  const percent = Math.round(size / 10);
  return difference < 0n && percent > 0 ? -percent : percent;
}

/** A count, or an amount in its minor units. */
export function unitsOf(figure: string | number): bigint {
  return typeof figure === 'number' ? BigInt(figure) : toMinor(figure);
}
