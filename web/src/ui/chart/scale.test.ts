import { expect, test } from 'vitest';
import {
  areaPath,
  axesOf,
  bandAt,
  bandCentre,
  bandMarks,
  barRects,
  linePath,
  nearestIndex,
  niceMax,
  type Plot,
  pathThrough,
  xAt,
  xOfTime,
  yAt,
} from './scale';

const plot: Plot = { width: 110, height: 120, left: 5, right: 5, top: 10, bottom: 10 };

test('the top of the axis is a round number at or above the largest value', () => {
  for (const [max, nice] of [
    [0, 4],
    [1, 1],
    [3, 4],
    [19.2, 20],
    [41, 50],
    [99, 100],
    [123_456_789, 200_000_000],
  ] as const) {
    expect(niceMax(max)).toBe(nice);
  }
});

test('points spread over the width, a single one stands in the middle', () => {
  expect(xAt(0, 3, plot)).toBe(5);
  expect(xAt(2, 3, plot)).toBe(105);
  expect(xAt(0, 1, plot)).toBe(55);
  expect(yAt(0, 4, plot)).toBe(110);
  expect(yAt(4, 4, plot)).toBe(10);
});

test('a line goes through its points and an area closes at the base', () => {
  expect(linePath([0, 4], 4, plot)).toBe('M5 110L105 10');
  expect(linePath([0, 4, 0], 4, plot, 1)).toBe('M55 10L105 110');
  expect(linePath([0, 4, 0], 4, plot, 0, 2)).toBe('M5 110L55 10');
  expect(areaPath([0, 4], 4, plot)).toBe('M5 110L105 10L105 110L5 110Z');
  expect(areaPath([], 4, plot)).toBe('');
});

test('a pointer finds the nearest point, also from outside', () => {
  expect(nearestIndex(-20, 3, plot)).toBe(0);
  expect(nearestIndex(54, 3, plot)).toBe(1);
  expect(nearestIndex(500, 3, plot)).toBe(2);
  expect(nearestIndex(50, 1, plot)).toBe(0);
});

test('bars stand side by side around the middle of their place', () => {
  expect(bandCentre(0, 4, plot)).toBe(17.5);
  expect(bandAt(31, 4, plot)).toBe(1);
  expect(bandAt(-5, 4, plot)).toBe(0);
  expect(bandAt(900, 4, plot)).toBe(3);
  const [first] = barRects([4, 0], { position: 0, of: 2 }, 4, plot);
  const [second, none] = barRects([2, 0], { position: 1, of: 2 }, 4, plot);
  expect(first).toEqual({ x: 14.5, y: 10, width: 14.5, height: 100 });
  expect(second).toEqual({ x: 31, y: 60, width: 14.5, height: 50 });
  expect(none?.height).toBe(0);
});

test('the least amount is still seen', () => {
  expect(barRects([0.001], { position: 0, of: 1 }, 4, plot)[0]?.height).toBe(1);
});

test('marks that would not fit are left out, the last one never', () => {
  expect(bandMarks(2, plot)).toEqual([0, 1]);
  expect(bandMarks(5, plot)).toEqual([1, 4]);
});

test('every unit has an axis of its own, and one unit has one', () => {
  const line = (key: string, unit: string, ...values: number[]) => ({ key, label: key, unit, values });
  const money = line('consumed', 'money', 3, 90);
  expect(axesOf([money, line('revenue', 'money', 140)])).toEqual([{ unit: 'money', max: 200 }]);
  expect(axesOf([money, line('clicks', 'clicks', 7)])).toEqual([
    { unit: 'money', max: 100 },
    { unit: 'clicks', max: 8 },
  ]);
  expect(axesOf([{ key: 'a', label: 'a', values: [] }])).toEqual([{ unit: undefined, max: 4 }]);
});

test('times lie where they fall between the first and the last one', () => {
  expect([0, 25, 100].map((time) => xOfTime(time, [0, 100], plot))).toEqual([5, 30, 105]);
  expect(xOfTime(7, [7, 7], plot)).toBe(5);
  expect(pathThrough([])).toBe('');
  expect(
    pathThrough([
      { x: 5, y: 1.25 },
      { x: 30, y: 2 },
    ]),
  ).toBe('M5 1.3L30 2');
});
