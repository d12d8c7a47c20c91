import { expect, test } from 'vitest';
import { MOST_LINES } from './credit-run';
import { creditableOf } from './creditable';
import type { BankLine } from './line-state';

const line = (given: Partial<BankLine>): BankLine => ({
  id: 'l',
  statement_id: 's',
  line: 2,
  booked_on: '2026-11-28',
  amount: '10.10',
  text: null,
  party: null,
  bank_reference: null,
  withdrawal_id: null,
  state: 'open',
  transaction_id: null,
  approval_id: null,
  similar: false,
  reason: null,
  decided_by: null,
  matched_user: { id: 'u', username: 'ada' },
  user: null,
  ...given,
});

test('only matched lines that are like no other are credited without a look', () => {
  const found = creditableOf([
    line({ id: 'a' }),
    line({ id: 'b', matched_user: null }),
    line({ id: 'c', similar: true }),
    line({ id: 'd', amount: '0.95' }),
    line({ id: 'e', state: 'waiting' }),
  ]);
  expect(found.lines.map(({ id }) => id)).toEqual(['a', 'd']);
  expect(found).toMatchObject({ total: '11.05', unmatched: 1, similar: 1, isMore: false });
});

test('a run takes no more than its bound, and its sum is of these', () => {
  const found = creditableOf(Array.from({ length: MOST_LINES + 1 }, () => line({ amount: '1.00' })));
  expect(found.lines).toHaveLength(MOST_LINES);
  expect(found).toMatchObject({ total: `${MOST_LINES}.00`, isMore: true });
});
