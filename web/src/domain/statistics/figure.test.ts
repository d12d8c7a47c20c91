import { expect, test } from 'vitest';
import { endSession, startSession } from '@/lib/session/store';
import { figurePath } from './figure';
import { keptRange, RANGES, rangeType } from './range';

test('a figure leads to its own plans, with its range where it has one', () => {
  expect(figurePath('invested')).toBe('/plan?figure=invested');
  expect(figurePath('delivery_orders', 'last_7_days')).toBe('/plan?figure=delivery_orders&range=last_7_days');
  expect(figurePath('to_be_consumed', 'week')).toBe('/plan?figure=to_be_consumed');
  expect(figurePath('to_be_settled', 'all')).toBe('/plan?figure=to_be_settled');
});

test('every range has its type', () => {
  expect(RANGES.map(rangeType)).toEqual([1, 2, 3, 5, 6, 4]);
});

test('the kept range ends with the session', () => {
  startSession('token-1', 'register');
  keptRange.set('week');
  endSession();
  expect(keptRange.get()).toBe('today');
});
