import { expect, test } from 'vitest';
import { amount, amountOf, amountOrZero, decimal, optionalText, text, whole } from './values';

const passes = (schema: { safeParse: (value: unknown) => { success: boolean } }, value: string) =>
  schema.safeParse(value).success;

test('an amount is above 0 with at most two decimals, as people type it', () => {
  for (const typed of ['1', '0.01', '1,250.00', '1.250,00', ' 12,5 '])
    expect(passes(amount(), typed)).toBe(true);
  for (const typed of ['', '0', '0.00', '-1', '1.234', '1e3', 'ten', '1.250']) {
    expect(passes(amount(), typed), typed).toBe(false);
  }
  expect(passes(amountOrZero(), '0')).toBe(true);
  expect(amountOf('1,250.5')).toBe('1250.50');
  expect(() => amountOf('ten')).toThrow(RangeError);
});

test('whole numbers and decimals stay within their bounds', () => {
  expect(['1', '100'].every((typed) => passes(whole(1, 100), typed))).toBe(true);
  expect(['0', '101', '1.5', '-1', ''].some((typed) => passes(whole(1, 100), typed))).toBe(false);
  expect(['0', '153.9951'].every((typed) => passes(decimal(4), typed))).toBe(true);
  expect(['153.99511', '-1', '1,5', ''].some((typed) => passes(decimal(4), typed))).toBe(false);
});

test('texts are trimmed, and their limit is in the message', () => {
  expect(text(5).parse('  abc ')).toBe('abc');
  expect(text(5).safeParse('   ').error?.issues[0]?.message).toBe('required');
  expect(text(5).safeParse('abcdef').error?.issues[0]?.message).toBe('too_long:5');
  expect(optionalText(5).parse('')).toBe('');
});
