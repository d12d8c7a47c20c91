import { expect, test } from 'vitest';
import { flow, monthly, property } from '@/test/fixtures';
import { assetParts, chartMonths, recentMonths, targetOf, typesOf } from './rules';

test('months go back over the turn of the year', () => {
  expect(recentMonths(new Date(2026, 0, 31), 3)).toEqual(['2026-01', '2025-12', '2025-11']);
});

test('withdrawals show only while there are any', () => {
  expect(assetParts(property()).map(({ key }) => key)).toEqual(['to_be_consumed', 'to_be_settled']);
  expect(assetParts(property({ withdrawing: '5.00' }))).toHaveLength(3);
});

test('types that did not move are left out', () => {
  const [november] = monthly;
  if (!november) throw new Error('no fixture');
  expect(typesOf({ ...november, by_type: { ad_serving: '0.00', system_top_up: '5.00' } })).toEqual([
    { type: 'system_top_up', amount: '5.00' },
  ]);
});

test('the chart begins with the first month that moved, and shows six at least', () => {
  const month = (name: string, moved: boolean) => ({
    month: name,
    income: '0.00',
    expense: '0.00',
    net: '0.00',
    by_type: moved ? { system_top_up: '1.00' } : {},
  });
  const year = recentMonths(new Date(2026, 10, 1), 12);
  const young = chartMonths(year.map((name) => month(name, name === '2026-11')));
  expect(young.map((entry) => entry.month)).toEqual(year.slice(0, 6).reverse());
  expect(chartMonths(year.map((name) => month(name, name >= '2026-02')))[0]?.month).toBe('2026-02');
  expect(chartMonths([])).toEqual([]);
});

test('a movement leads to what it belongs to', () => {
  expect(targetOf(flow(1, 'ad_billing', '-1.00'))?.to).toBe('/plan/detail?id=plan-1');
  expect(targetOf(flow(1, 'manual_payout', '-1.00', { reference: 'w/1' }))?.to).toBe(
    '/wallet/withdraw?id=w%2F1',
  );
  expect(targetOf(flow(1, 'exchange', '-1.00'))?.label).toBe('see_exchange');
  expect(targetOf(flow(1, 'system_top_up', '1.00'))).toBeNull();
  expect(targetOf(flow(1, 'start_up_funds', '1.00', { reference: 'x' }))).toBeNull();
});
