import { expect, test } from 'vitest';
import type { WithdrawalTerms } from '@/lib/api/types';
import { bankCard, destinations, walletAddress } from '@/test/fixtures-wallet';
import { allOf, arrivesOf, checkWithdrawal, destinationOf, fieldOf, startMethod } from './withdrawal';

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
  expect(fieldOf('DAY_LIMIT_REACHED', null)).toBe('amount');
  expect(fieldOf('BANK_CARD_NOT_BOUND', 'method')).toBe('method');
  expect(fieldOf('VALIDATION', 'method')).toBe('method');
  expect(fieldOf('PAY_PASSWORD_LOCKED', null)).toBeNull();
});
