import { describe, expect, test } from 'vitest';
import { exchangeOrder } from '@/test/fixtures-exchange';
import { balanceAfter, checkAmount, countdownText, counterAmount, currentOf, limitsOf } from './rules';

describe('the counter amount', () => {
  test.each([
    ['100.00', '0.9215', 'EUR', '92.15'],
    ['10.01', '0.92159', 'EUR', '9.22'],
    ['10.99', '1', 'JPY', '10'],
    ['1.00', '153.99', 'JPY', '153'],
    ['10.00', '0.30789', 'KWD', '3.078'],
    ['0.01', '1.99', 'USD', '0.01'],
    ['123.45', '0.03', 'CLF', '3.7035'],
    ['10000000000.00', '9999999999.99999999', 'CLF', '99999999999999999900.0000'],
  ])('of %s at %s is rounded down: %s %s', (amount, rate, currency, expected) => {
    expect(counterAmount(amount, rate, currency)).toBe(expected);
  });

  test('of next to nothing is nothing', () => {
    expect(counterAmount('0.01', '0.99999999', 'USD')).toBeNull();
    expect(counterAmount('0.99', '1', 'JPY')).toBeNull();
  });
});

test('the offer and the platform both limit an amount', () => {
  const platform = { min: '60.00', max: '1500.00' };
  const wide = { direction: 'wallet_to_currency', min: '50.00', max: '2000.00' } as const;
  const narrow = { ...wide, min: '70.00', max: '90.00' };
  expect(limitsOf(wide, platform, undefined)).toEqual(platform);
  expect(limitsOf(narrow, platform, undefined)).toEqual({ min: '70.00', max: '90.00' });
  expect(limitsOf(wide, undefined, undefined)).toEqual({ min: '50.00', max: '2000.00' });
});

test('what may leave limits an amount of wallet money only', () => {
  const offer = { min: '50.00', max: '2000.00' };
  const leaving = { per_day: '900.00', per_destination: '300.00' };
  expect(limitsOf({ ...offer, direction: 'wallet_to_currency' }, undefined, leaving).max).toBe('300.00');
  expect(limitsOf({ ...offer, direction: 'currency_to_wallet' }, undefined, leaving).max).toBe('2000.00');
});

describe('an amount to exchange', () => {
  const offer = { direction: 'wallet_to_currency', currency: 'JPY', rate: '0.5' } as const;
  const limits = { min: '1.00', max: '2000.00' };

  test.each([
    ['', 'amount_invalid'],
    ['0', 'amount_invalid'],
    ['1e3', 'amount_invalid'],
    ['0.99', 'below_minimum'],
    ['2000.01', 'above_maximum'],
    ['1.99', 'too_small'],
    ['1000.01', 'insufficient'],
    ['1000', null],
  ])('%j: %s', (typed, wrong) => {
    expect(checkAmount(typed, offer, limits, '1000.00')).toBe(wrong);
  });

  test('may exceed the balance when it comes in', () => {
    const incoming = { ...offer, direction: 'currency_to_wallet' } as const;
    expect(checkAmount('1500', incoming, limits, '0.00')).toBeNull();
    expect(balanceAfter(incoming, '1500.00', '10.00')).toBe('1510.00');
    expect(balanceAfter(offer, '10.00', '10.00')).toBe('0.00');
  });
});

test('the open order is the newest or there is none', () => {
  const open = exchangeOrder();
  const done = exchangeOrder({ id: 'exchange-0', status: 'completed' });
  expect(currentOf([open, done])).toBe(open);
  expect(currentOf([done, done])).toBeNull();
  expect(currentOf(undefined)).toBeNull();
});

test('the time left counts down to nothing and not below', () => {
  expect(countdownText(-5)).toBe('00:00:00');
  expect(countdownText(3_723_999)).toBe('01:02:03');
  expect(countdownText(47 * 3_600_000)).toBe('47:00:00');
  expect(countdownText(48 * 3_600_000)).toBeNull();
});
