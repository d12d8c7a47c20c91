import { expect, test } from 'vitest';
import { ageOf } from './age';
import { inOrder, type Waiting } from './kinds';

const waiting = (kind: Waiting['kind'], rest: Partial<Waiting>): Waiting => ({
  kind,
  state: 'known',
  count: 0,
  more: false,
  oldest_at: null,
  ...rest,
});

test('what waits longest is first, and what nothing is known of comes before what does not wait', () => {
  const order = inOrder([
    waiting('withdrawals', {}),
    waiting('approvals', { state: 'unavailable', count: null }),
    waiting('dead_letters', { count: 3 }),
    waiting('feedback', { count: 1, oldest_at: '2026-11-29T10:00:00Z' }),
    waiting('freezes', { count: 1, oldest_at: '2026-11-28T10:00:00Z' }),
  ]);
  expect(order.map(({ kind }) => kind)).toEqual([
    'freezes',
    'feedback',
    'dead_letters',
    'approvals',
    'withdrawals',
  ]);
});

test('an age is said in whole minutes, hours or days, and is never below zero', () => {
  const at = '2026-11-29T12:00:00Z';
  expect(ageOf('2026-11-29T12:00:05Z', at)).toEqual({ unit: 'minute', count: 0 });
  expect(ageOf('2026-11-29T11:00:01Z', at)).toEqual({ unit: 'minute', count: 59 });
  expect(ageOf('2026-11-28T06:00:00Z', at)).toEqual({ unit: 'hour', count: 30 });
  expect(ageOf('2026-11-27T11:00:00Z', at)).toEqual({ unit: 'day', count: 2 });
});
