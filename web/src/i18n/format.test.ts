import { expect, test } from 'vitest';
import { parseTypedAmount } from '@/lib/money';
import { formatsFor } from './format';

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
    '-0.000001',
  ]);
  expect(fineMoney('123456789012345.678901')).toBe('123,456,789,012,345.678901');
  expect(formatsFor('de').fineMoney('1402.187512')).toBe('1.402,187512');
});
