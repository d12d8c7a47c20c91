import { expect, test } from 'vitest';
import type { Property } from '@/lib/api/types';
import * as fixtures from '@/test/fixtures';
import { askAgainMs, isOnHold, leavable } from './rules';

test.each<[Property['withdraw_blocked_by'], boolean, boolean]>([
  [[], false, false],
  [['BANK_CARD_NOT_BOUND', 'INSUFFICIENT_BALANCE'], true, false],
  [['START_UP_FUNDS_NOT_RETURNED'], true, true],
  [['PAY_PASSWORD_NOT_SET'], true, true],
  [['WITHDRAWAL_COOLING_OFF'], true, true],
  [['ACCOUNT_DISABLED'], true, false],
])('%j holds a withdrawal: %s, an exchange: %s', (withdraw_blocked_by, withdrawal, exchange) => {
  const property = fixtures.property({ withdraw_blocked_by });
  expect(isOnHold('withdrawal', property)).toBe(withdrawal);
  expect(isOnHold('exchange', property)).toBe(exchange);
});

test('figures that say until when to wait are asked for again when that is over, within bounds', () => {
  const now = Date.parse('2026-11-20T14:00:00.000Z');
  expect(askAgainMs(null, now)).toBe(false);
  expect(askAgainMs('2026-11-20T14:01:00.000Z', now)).toBe(60_000);
  expect(askAgainMs('2026-11-20T13:59:59.000Z', now)).toBe(10_000);
  expect(askAgainMs('2026-12-20T14:00:00.000Z', now)).toBe(3_600_000);
});

test('no more leaves at once than within 24 hours or to one destination', () => {
  const range = { min: '10.00', max: '500.00' };
  expect(leavable(range, undefined)).toEqual(range);
  expect(leavable(range, { per_day: '900.00', per_destination: '600.00' })).toEqual(range);
  expect(leavable(range, { per_day: '900.00', per_destination: '300.00' }).max).toBe('300.00');
  expect(leavable(range, { per_day: '200.00', per_destination: '300.00' }).max).toBe('200.00');
});
