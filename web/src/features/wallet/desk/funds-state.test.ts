import { expect, test } from 'vitest';
import { fundsFilter, fundsState, isPart, typesOfAny } from './funds-state';

const read = (query: string) => fundsState(new URLSearchParams(query), '2026-11-20');

test('without a choice it is all of what is available, with its totals', () => {
  expect(fundsFilter(read(''))).toEqual({ account: 'available', totals: true });
  expect(isPart(read(''))).toBe(false);
});

test('all balances together have no totals, and any type', () => {
  expect(fundsFilter(read('account=all&type=ad_billing'))).toEqual({ type: 'ad_billing' });
  expect(typesOfAny('all').filter((type) => type === 'all')).toHaveLength(1);
});

test('a type that does not move the balance is none', () => {
  expect(fundsFilter(read('type=ad_billing'))).toEqual({ account: 'available', totals: true });
  expect(read('account=to_be_consumed&type=ad_billing').type).toBe('ad_billing');
});

test('a linked month is its days, until a period is chosen', () => {
  const days = { from: '2026-02-01', until: '2026-02-28' };
  expect(read('month=2026-02')).toMatchObject({ period: 'custom', days });
  expect(read('month=2026-02&period=today').days).toEqual({ from: '2026-11-20', until: '2026-11-20' });
  expect(read('month=2026-13')).toMatchObject({ period: 'all', days: {} });
  expect(isPart(read('month=2026-02'))).toBe(true);
});
