import { expect, test } from 'vitest';
import { parseTypedAmount } from '@/lib/money';
import { formatsFor, numbers } from './format';
import { LANGUAGES, localeOf } from './languages';

test.each(['en', 'de', 'fr', 'ru', 'th', 'vi'])('what the app fills in, %s understands', (lang) => {
  expect(parseTypedAmount(formatsFor(lang).typedMoney('1234567.80'))).toBe('1234567.80');
});

test('an amount is formatted digit by digit, beyond what a float holds', () => {
  expect(formatsFor('en').money('123456789012345678.91')).toBe('123,456,789,012,345,678.91');
});

test('a report’s amount keeps two to six decimals, beyond what a float holds', () => {
  const { fineMoney } = formatsFor('en');
  expect(['0.0125', '12.50', '7.00', '-0.000001'].map(fineMoney)).toEqual([
    '0.0125',
    '12.50',
    '7.00',
    '−0.000001',
  ]);
  expect(fineMoney('123456789012345.678901')).toBe('123,456,789,012,345.678901');
  expect(formatsFor('de').fineMoney('1402.187512')).toBe('1.402,187512');
});

test.each(LANGUAGES)('a negative figure has a true minus sign in $code', ({ code }) => {
  const { money, signedMoney, fineMoney, integer, decimal, ratio, percent, wholePercent } = formatsFor(code);
  const texts = [
    ...[money, signedMoney, fineMoney, decimal, ratio, percent].map((format) => format('-1234.5')),
    ...[integer, wholePercent].map((format) => format(-1234)),
    ...(['always', 'exceptZero'] as const).map((signDisplay) =>
      numbers(localeOf(code), { style: 'percent', signDisplay })('-0.125'),
    ),
    numbers(localeOf(code), { notation: 'compact' })(-12_500),
  ];
  for (const text of texts) {
    expect(text).toContain('−');
    expect(text).not.toContain('-');
  }
  expect(signedMoney('1234.5')).toMatch(/^\+/);
});

test('a change has its sign, a return its times sign', () => {
  const { change, times } = formatsFor('en');
  expect([12, -8, 0, 1234].map(change)).toEqual(['+12%', '−8%', '0%', '+1,234%']);
  expect(times('1.0651')).toBe('1.07×');
  expect(formatsFor('de').times('1.0651')).toBe('1,07×');
});

test('the date is left out today', () => {
  const { recent, time } = formatsFor('en');
  const now = new Date();
  expect(recent(now.toISOString())).toBe(time(now));
  expect(recent('2020-11-20T14:13:00.000Z')).toContain('2020');
});
