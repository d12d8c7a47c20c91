import { expect, test } from 'vitest';
import type { MonthlyEntry } from '@/lib/api/types';
import { sum } from '@/lib/money';
import { flow, monthly, property } from '@/test/fixtures';
import { movements } from '@/test/fixtures-wallet';
import {
  assetParts,
  chartMonths,
  fundsPath,
  linesOf,
  recentMonths,
  statementMonths,
  targetOf,
  typesIn,
  typesOf,
} from './rules';

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
    deposits: '0.00',
    revenue: '0.00',
    spent: '0.00',
    withdrawn: '0.00',
    lent: '0.00',
  });
  const year = recentMonths(new Date(2026, 10, 1), 12);
  const young = chartMonths(year.map((name) => month(name, name === '2026-11')));
  expect(young.map((entry) => entry.month)).toEqual(year.slice(0, 6).reverse());
  expect(chartMonths(year.map((name) => month(name, name >= '2026-02')))[0]?.month).toBe('2026-02');
  expect(chartMonths([])).toEqual([]);
});

test('a movement leads to what it belongs to', () => {
  expect(targetOf(flow(1, 'ad_billing', '-1.00'))?.to).toBe('/plan/detail?id=plan-1');
  const plan = { id: 'plan-2', plan_number: 'AD-2', product: 'Merge Harbor' };
  expect(targetOf(flow(1, 'ad_billing', '-1.00', { plan }))?.to).toBe('/plan/detail?id=plan-2');
  expect(targetOf(flow(1, 'manual_payout', '-1.00', { reference: 'w/1' }))?.to).toBe(
    '/wallet/withdraw?id=w%2F1',
  );
  expect(targetOf(flow(1, 'exchange', '-1.00', { reference: 'e1' }))?.to).toBe(
    '/wallet/foreign-exchange?order=e1',
  );
  expect(targetOf(flow(1, 'system_top_up', '1.00'))).toBeNull();
  expect(targetOf(flow(1, 'start_up_funds', '1.00', { reference: 'x' }))).toBeNull();
});

test('the lines of a month add up to its net, whatever has no line of its own', () => {
  const entry: MonthlyEntry = {
    month: '2026-11',
    income: '120.00',
    expense: '95.50',
    net: '24.50',
    by_type: {},
    deposits: '100.00',
    revenue: '20.00',
    spent: '60.00',
    withdrawn: '30.00',
    lent: '-5.00',
  };
  expect(linesOf(entry)).toEqual([
    { key: 'deposits', amount: '100.00' },
    { key: 'revenue', amount: '20.00' },
    { key: 'spent', amount: '-60.00' },
    { key: 'withdrawn', amount: '-30.00' },
    { key: 'lent', amount: '-5.00' },
    { key: 'other', amount: '-0.50' },
  ]);
  // More came back from plans than was put into them.
  expect(linesOf({ ...entry, spent: '-10.00', net: '95.00' }).at(2)).toEqual({
    key: 'spent',
    amount: '10.00',
  });
  for (const month of monthly) expect(sum(linesOf(month).map(({ amount }) => amount))).toBe(month.net);
});

test('each balance offers the types that move it', () => {
  expect(typesIn('to_be_settled')).toEqual(['all', 'profit_sharing']);
  expect(typesIn('available')).not.toContain('ad_billing');
  for (const { account, type } of movements) expect(typesIn(account)).toContain(type);
});

test('fund details are addressed by balance, type and month', () => {
  expect(fundsPath('available')).toBe('/wallet/fund-details');
  expect(fundsPath('available', { month: '2026-11' })).toBe('/wallet/fund-details?month=2026-11');
  expect(fundsPath('to_be_consumed', { type: 'discount_amount' })).toBe(
    '/wallet/fund-details?account=to_be_consumed&type=discount_amount',
  );
});

test('statements go back to the first entry, or a year if the server does not say', () => {
  const now = new Date(2026, 10, 20);
  expect(statementMonths(now, { first_month: '2026-09' })).toEqual(['2026-11', '2026-10', '2026-09']);
  expect(statementMonths(now, { first_month: '2024-12' })).toHaveLength(24);
  expect(statementMonths(now, { first_month: '2024-12' }).at(-1)).toBe('2024-12');
  expect(statementMonths(now, { first_month: null })).toEqual(['2026-11']);
  expect(statementMonths(now, undefined)).toHaveLength(12);
});
