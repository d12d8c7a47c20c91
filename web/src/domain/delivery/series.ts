import type { SeriesPoint, SeriesStep } from '@/lib/api/types';

/** When a point ends. Days and months are those of this device's time zone, which every call names. */
export function endOfPoint(time: string, bucket: SeriesStep): number {
  const at = new Date(time);
  if (bucket === 'hour') at.setTime(at.getTime() + 3_600_000);
  else if (bucket === 'day') at.setDate(at.getDate() + 1);
  else at.setMonth(at.getMonth() + 1);
  return at.getTime();
}

/** The points that have begun, and whether the last of them still grows. The server sends a whole day of hours. */
export function pointsUntil<P extends Pick<SeriesPoint, 'time'>>(
  points: readonly P[],
  bucket: SeriesStep,
  now: number,
): { points: P[]; isOpen: boolean } {
  const begun = points.filter(({ time }) => Date.parse(time) <= now);
  const last = begun.at(-1);
  return { points: begun, isOpen: last !== undefined && endOfPoint(last.time, bucket) > now };
}
