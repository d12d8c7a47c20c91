import { expect, test } from 'vitest';
import type { Property, WithdrawalTerms } from '@/lib/api/types';
import { bankCard, destinations, walletAddress } from '@/test/fixtures-wallet';
import {
  allOf,
  arrivesOf,
  askAgainMs,
  checkWithdrawal,
  destinationOf,
  fieldOf,
  startMethod,
  stepsOf,
} from './withdrawal';

const blocked = (...reasons: Property['withdraw_blocked_by']) => ({ withdraw_blocked_by: reasons });

test('nothing stands before a withdrawal that nothing blocks', () => {
  expect(stepsOf(blocked())).toEqual([]);
});

test('what blocks is listed beside what is done; the unusual only while it blocks', () => {
  expect(stepsOf(blocked('BANK_CARD_NOT_BOUND'))).toEqual([
    { key: 'pay_password', isDone: true },
    { key: 'destination', isDone: false },
  ]);
  const all = stepsOf(blocked('INSUFFICIENT_BALANCE', 'PAY_PASSWORD_NOT_SET', 'START_UP_FUNDS_NOT_RETURNED'));
  expect(all.filter(({ isDone }) => !isDone).map(({ key }) => key)).toEqual([
    'pay_password',
    'balance',
    'start_up_funds',
  ]);
});

test('a wait is no step: alone there are none, and others stay what they are', () => {
  expect(stepsOf(blocked('WITHDRAWAL_COOLING_OFF'))).toEqual([]);
  expect(stepsOf(blocked('BANK_CARD_NOT_BOUND', 'WITHDRAWAL_COOLING_OFF'))).toEqual(
    stepsOf(blocked('BANK_CARD_NOT_BOUND')),
  );
});

test('figures that say until when to wait are asked for again when that is over, within bounds', () => {
  const now = Date.parse('2026-11-20T14:00:00.000Z');
  expect(askAgainMs(null, now)).toBe(false);
  expect(askAgainMs('2026-11-20T14:01:00.000Z', now)).toBe(60_000);
  expect(askAgainMs('2026-11-20T13:59:59.000Z', now)).toBe(10_000);
  expect(askAgainMs('2026-12-20T14:00:00.000Z', now)).toBe(3_600_000);
});

test('a reason of a later server still blocks', () => {
  expect(stepsOf(blocked('ACCOUNT_DISABLED')).at(-1)).toEqual({ key: 'other', isDone: false });
});

const terms: WithdrawalTerms[] = [
  { method: 'bank_card', enabled: true, min: '10.00', max: '500.00', fee: '2.00' },
  { method: 'wallet_address', enabled: true, min: '20.00', max: '500.00', fee: '1.00' },
];

test('the method begins with the wanted one that can be used', () => {
  const both = destinations({ wallet_address: walletAddress });
  expect(startMethod('wallet_address', terms, both)).toBe('wallet_address');
  expect(startMethod('wallet_address', terms, destinations())).toBe('bank_card');
  expect(startMethod(null, terms, destinations({ bank_card: null }))).toBeNull();
  const off = terms.map((each) => ({ ...each, enabled: false }));
  expect(startMethod(null, off, both)).toBeNull();
  expect(destinationOf('bank_card', both)).toEqual({ kind: 'bank_card', ...bankCard });
});

test.each([
  ['', 'amount_required'],
  ['ten', 'amount_invalid'],
  ['1.234', 'amount_invalid'],
  ['0', 'amount_zero'],
  ['0.00', 'amount_zero'],
  ['1000.01', 'insufficient'],
  ['9.99', 'below_minimum'],
  ['500.01', 'above_maximum'],
  ['10', null],
  ['500.00', null],
])('an amount of %j: %s', (typed, wrong) => {
  expect(checkWithdrawal(typed, '1000.00', { min: '10.00', max: '500.00' })).toBe(wrong);
});

test('all is what there is, or what the method takes at most', () => {
  expect(allOf('123.45', { max: '500.00' })).toBe('123.45');
  expect(allOf('12300.50', { max: '500.00' })).toBe('500.00');
});

test('the fee is kept from the amount', () => {
  expect(arrivesOf('150.00', '2.00')).toBe('148.00');
  expect(arrivesOf('1.00', '2.00')).toBe('0.00');
});

test('a refusal belongs to the field that it is about', () => {
  expect(fieldOf('INSUFFICIENT_BALANCE', null)).toBe('amount');
  expect(fieldOf('BANK_CARD_NOT_BOUND', 'method')).toBe('method');
  expect(fieldOf('VALIDATION', 'method')).toBe('method');
  expect(fieldOf('PAY_PASSWORD_LOCKED', null)).toBeNull();
});
