import { expect, test } from 'vitest';
import { follow, follows } from '@/test/fixtures-account';
import { currentFollow, doneSteps, firstExpiry, followErrorOf, isUndelivered, levelsAround } from './rules';

test('the scale shows the levels around the own one and begins at 1', () => {
  expect(levelsAround(1)).toEqual([1, 2, 3, 4, 5]);
  expect(levelsAround(3)).toEqual([1, 2, 3, 4, 5]);
  expect(levelsAround(11)).toEqual([9, 10, 11, 12, 13]);
});

test('the current operator is the one whose following goes on', () => {
  expect(currentFollow(follows, 'operator-1')?.operator_name).toBe('Northwind Media');
  expect(currentFollow([follow({ ended_at: '2026-11-20T00:00:00.000Z' })], 'operator-1')).toBeNull();
  expect(currentFollow(follows, null)).toBeNull();
});

test('only refusals of the id belong to its field', () => {
  expect(followErrorOf('FOLLOW_ID_ERROR')).toBe('unknown');
  expect(followErrorOf('FOLLOW_ID_CURRENT')).toBe('current');
  expect(followErrorOf('UNAVAILABLE')).toBeNull();
});

test('the first day lasts until something was shown or consumed', () => {
  expect(isUndelivered({ impressions: 0, consumed: '0.00' })).toBe(true);
  expect(isUndelivered({ impressions: 1, consumed: '0.00' })).toBe(false);
  expect(isUndelivered({ impressions: 0, consumed: '0.01' })).toBe(false);
});

test('a step is done when its fact is known to hold', () => {
  const none = {
    claimable: undefined,
    total_assets: undefined,
    counts: undefined,
    has_pay_password: undefined,
  };
  expect([...doneSteps(none)]).toEqual([]);
  const open = {
    claimable: [
      { kind: 'new_user', claimed: false },
      { kind: 'periodic', claimed: true },
    ] as const,
    total_assets: '0.00',
    counts: { waiting: 1, matching: 0 },
    has_pay_password: false,
  };
  expect([...doneSteps(open)]).toEqual([]);
  const done = {
    claimable: [{ kind: 'new_user', claimed: true }] as const,
    total_assets: '20.00',
    counts: { waiting: 1, matching: 1 },
    has_pay_password: true,
  };
  expect([...doneSteps(done)]).toEqual(['coupon', 'deposit', 'plan', 'secure']);
});

test('the plan that expires first decides', () => {
  expect(firstExpiry([])).toBeNull();
  expect(firstExpiry([{ expire_time: null }])).toBeNull();
  expect(
    firstExpiry([
      { expire_time: '2026-11-26T10:00:00.000Z' },
      { expire_time: null },
      { expire_time: '2026-11-25T10:00:00.000Z' },
    ]),
  ).toBe('2026-11-25T10:00:00.000Z');
});
