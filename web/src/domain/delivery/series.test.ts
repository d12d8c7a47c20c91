import { expect, test } from 'vitest';
import { endOfPoint, pointsUntil } from './series';

const local = (...parts: [number, number, number, number?]) => new Date(...parts).toISOString();

test('a point lasts as long as its bucket on the calendar', () => {
  expect(endOfPoint(local(2026, 10, 20, 14), 'hour')).toBe(Date.parse(local(2026, 10, 20, 15)));
  expect(endOfPoint(local(2026, 10, 30), 'day')).toBe(Date.parse(local(2026, 11, 1)));
  expect(endOfPoint(local(2026, 1, 1), 'month')).toBe(Date.parse(local(2026, 2, 1)));
});

test('hours to come are left out, and the present one is open', () => {
  const hours = [12, 13, 14, 15].map((hour) => ({ time: local(2026, 10, 20, hour) }));
  const until = pointsUntil(hours, 'hour', Date.parse(local(2026, 10, 20, 14)) + 60_000);
  expect(until.points).toHaveLength(3);
  expect(until.isOpen).toBe(true);
  const over = pointsUntil(hours, 'hour', Date.parse(local(2026, 10, 21)));
  expect(over.points).toHaveLength(4);
  expect(over.isOpen).toBe(false);
  expect(pointsUntil([], 'day', Date.now())).toEqual({ points: [], isOpen: false });
});
