import { expect, test } from 'vitest';
import en from '@/i18n/packs/en.json';
import type { FlowEntry } from '@/lib/api/types';
import { flow } from '@/test/fixtures';
import { wordOf } from './words';

type Line = [FlowEntry['type'], '+' | '-', FlowEntry['account'], 'transfer' | 'own', string];

/** Every line that the ledger makes: what the entries of each account can be. */
const LINES: Line[] = [
  ['system_top_up', '+', 'available', 'own', 'Deposit'],
  ['ad_serving', '-', 'available', 'transfer', 'Budget paid'],
  ['ad_serving', '+', 'available', 'transfer', 'Unspent budget back'],
  ['ad_serving', '+', 'to_be_consumed', 'transfer', 'Budget received'],
  ['ad_serving', '-', 'to_be_consumed', 'transfer', 'Unspent budget released'],
  ['discount_amount', '+', 'to_be_consumed', 'own', 'Coupon added'],
  ['discount_amount', '-', 'to_be_consumed', 'own', 'Coupon part taken back'],
  ['ad_billing', '-', 'to_be_consumed', 'own', 'Spent on ads'],
  ['ad_billing', '+', 'to_be_consumed', 'own', 'Spend corrected'],
  ['profit_sharing', '+', 'to_be_settled', 'own', 'Ad revenue earned'],
  ['profit_sharing', '-', 'to_be_settled', 'own', 'Ad revenue corrected'],
  ['profit_sharing', '-', 'to_be_settled', 'transfer', 'Ad revenue paid out'],
  ['profit_sharing', '+', 'available', 'transfer', 'Ad revenue paid out'],
  ['manual_payout', '-', 'available', 'transfer', 'Withdrawal'],
  ['manual_payout', '+', 'available', 'transfer', 'Withdrawal returned'],
  ['manual_payout', '+', 'withdrawing', 'transfer', 'Withdrawal requested'],
  ['manual_payout', '-', 'withdrawing', 'transfer', 'Withdrawal returned'],
  ['manual_payout', '-', 'withdrawing', 'own', 'Withdrawal paid'],
  ['system_chargeback', '-', 'available', 'own', 'System chargeback'],
  ['virtual_recharge_deduction', '-', 'available', 'own', 'Recharge deduction'],
  ['open_membership', '-', 'available', 'own', 'Membership'],
  ['exchange', '-', 'available', 'own', 'Paid into an exchange'],
  ['exchange', '+', 'available', 'own', 'Received from an exchange'],
  ['start_up_funds', '+', 'available', 'own', 'Start-up funds lent'],
  ['start_up_funds', '-', 'available', 'own', 'Start-up funds returned'],
  ['guarantee', '-', 'available', 'transfer', 'Guarantee deposited'],
  ['guarantee', '+', 'available', 'transfer', 'Guarantee returned'],
];

function textOf(key: string): unknown {
  return key.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], en);
}

test.each(LINES)('%s %s of %s, %s: %s', (type, sign, account, kind, text) => {
  const amount = sign === '+' ? '5.00' : '-5.00';
  const entry = flow(1, type, amount, { account, transfer: kind === 'transfer' });
  expect(textOf(wordOf(entry))).toBe(text);
});

test('every word is used', () => {
  const used = LINES.map(([type, sign, account, kind]) =>
    wordOf({
      type,
      amount: sign === '+' ? '5.00' : '-5.00',
      account,
      transfer: kind === 'transfer',
    }),
  );
  expect(
    Object.keys(en.flow.word).filter((name) => !used.some((key) => key.endsWith(`.word.${name}`))),
  ).toEqual([]);
});
