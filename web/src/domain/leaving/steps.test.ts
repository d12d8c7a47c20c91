import { expect, test } from 'vitest';
import type { Property } from '@/lib/api/types';
import { stepsBefore } from './steps';

const blocked = (...reasons: Property['withdraw_blocked_by']) => ({ withdraw_blocked_by: reasons });

test('nothing stands before a withdrawal that nothing blocks', () => {
  expect(stepsBefore('withdrawal', blocked())).toEqual([]);
});

test('what blocks is listed beside what is done; the unusual only while it blocks', () => {
  expect(stepsBefore('withdrawal', blocked('BANK_CARD_NOT_BOUND'))).toEqual([
    { key: 'pay_password', isDone: true },
    { key: 'destination', isDone: false },
  ]);
  const all = stepsBefore(
    'withdrawal',
    blocked('INSUFFICIENT_BALANCE', 'PAY_PASSWORD_NOT_SET', 'START_UP_FUNDS_NOT_RETURNED'),
  );
  expect(all.filter(({ isDone }) => !isDone).map(({ key }) => key)).toEqual([
    'pay_password',
    'balance',
    'start_up_funds',
  ]);
});

test('a wait is no step: alone there are none, and others stay what they are', () => {
  expect(stepsBefore('withdrawal', blocked('WITHDRAWAL_COOLING_OFF'))).toEqual([]);
  expect(stepsBefore('withdrawal', blocked('BANK_CARD_NOT_BOUND', 'WITHDRAWAL_COOLING_OFF'))).toEqual(
    stepsBefore('withdrawal', blocked('BANK_CARD_NOT_BOUND')),
  );
});

test('a reason of a later server still blocks', () => {
  expect(stepsBefore('withdrawal', blocked('ACCOUNT_DISABLED')).at(-1)).toEqual({
    key: 'other',
    isDone: false,
  });
});

test('an exchange is blocked by the same, but for what only a withdrawal needs', () => {
  expect(stepsBefore('exchange', blocked())).toEqual([]);
  expect(
    stepsBefore('exchange', blocked('INSUFFICIENT_BALANCE', 'BANK_CARD_NOT_BOUND', 'ACCOUNT_DISABLED')),
  ).toEqual([]);
  expect(stepsBefore('exchange', blocked('WITHDRAWAL_COOLING_OFF'))).toEqual([]);
  expect(stepsBefore('exchange', blocked('START_UP_FUNDS_NOT_RETURNED', 'BANK_CARD_NOT_BOUND'))).toEqual([
    { key: 'pay_password', isDone: true },
    { key: 'start_up_funds', isDone: false },
  ]);
  expect(stepsBefore('exchange', blocked('PAY_PASSWORD_NOT_SET'))).toEqual([
    { key: 'pay_password', isDone: false },
  ]);
});
