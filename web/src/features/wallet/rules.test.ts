import { expect, test } from 'vitest';
import { monthly, property } from '@/test/fixtures';
import { assetParts, recentMonths, typesOf } from './rules';

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
