import { expect, test } from 'vitest';
import type { Property } from '@/lib/api/types';
import { askAgainMs, exchangeSteps, leavable, withdrawalSteps } from './rules';

const blocked = (...reasons: Property['withdraw_blocked_by']) => ({ withdraw_blocked_by: reasons });

test('nothing stands before a withdrawal that nothing blocks', () => {
  expect(withdrawalSteps(blocked())).toEqual([]);
});

test('what blocks is listed beside what is done; the unusual only while it blocks', () => {
  expect(withdrawalSteps(blocked('BANK_CARD_NOT_BOUND'))).toEqual([
    { key: 'pay_password', isDone: true },
    { key: 'destination', isDone: false },
  ]);
  const all = withdrawalSteps(
    blocked('INSUFFICIENT_BALANCE', 'PAY_PASSWORD_NOT_SET', 'START_UP_FUNDS_NOT_RETURNED'),
  );
  expect(all.filter(({ isDone }) => !isDone).map(({ key }) => key)).toEqual([
    'pay_password',
    'balance',
    'start_up_funds',
  ]);
});

test('a wait is no step: alone there are none, and others stay what they are', () => {
  expect(withdrawalSteps(blocked('WITHDRAWAL_COOLING_OFF'))).toEqual([]);
  expect(withdrawalSteps(blocked('BANK_CARD_NOT_BOUND', 'WITHDRAWAL_COOLING_OFF'))).toEqual(
    withdrawalSteps(blocked('BANK_CARD_NOT_BOUND')),
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
  expect(withdrawalSteps(blocked('ACCOUNT_DISABLED')).at(-1)).toEqual({ key: 'other', isDone: false });
});

test('an exchange is blocked by the same, but for what only a withdrawal needs', () => {
  expect(exchangeSteps(blocked())).toEqual([]);
  expect(exchangeSteps(blocked('INSUFFICIENT_BALANCE', 'BANK_CARD_NOT_BOUND', 'ACCOUNT_DISABLED'))).toEqual(
    [],
  );
  expect(exchangeSteps(blocked('WITHDRAWAL_COOLING_OFF'))).toEqual([]);
  expect(exchangeSteps(blocked('START_UP_FUNDS_NOT_RETURNED', 'BANK_CARD_NOT_BOUND'))).toEqual([
    { key: 'pay_password', isDone: true },
    { key: 'start_up_funds', isDone: false },
  ]);
  expect(exchangeSteps(blocked('PAY_PASSWORD_NOT_SET'))).toEqual([{ key: 'pay_password', isDone: false }]);
});

test('no more leaves at once than within 24 hours or to one destination', () => {
  const range = { min: '10.00', max: '500.00' };
  expect(leavable(range, undefined)).toEqual(range);
  expect(leavable(range, { per_day: '900.00', per_destination: '600.00' })).toEqual(range);
  expect(leavable(range, { per_day: '900.00', per_destination: '300.00' }).max).toBe('300.00');
  expect(leavable(range, { per_day: '200.00', per_destination: '300.00' }).max).toBe('200.00');
});
