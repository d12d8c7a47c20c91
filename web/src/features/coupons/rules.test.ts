import { expect, test } from 'vitest';
import { at, claimables } from '@/test/fixtures';
import { expiresSoon, unclaimedFirst } from './rules';

const DAY_MS = 86_400_000;

test('three days before its end a coupon expires soon, after it no more', () => {
  const now = new Date(at(0));
  expect(expiresSoon(at(2 * DAY_MS), now)).toBe(true);
  expect(expiresSoon(at(4 * DAY_MS), now)).toBe(false);
  expect(expiresSoon(at(-1), now)).toBe(false);
});

test('what can still be claimed comes first', () => {
  const [item] = claimables;
  if (!item) throw new Error('no fixture');
  const sorted = unclaimedFirst([
    { ...item, name: 'done', claimed: true },
    { ...item, name: 'open' },
  ]);
  expect(sorted.map(({ name }) => name)).toEqual(['open', 'done']);
});
