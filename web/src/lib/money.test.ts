import { describe, expect, test } from 'vitest';
import {
  add,
  compare,
  fromMinor,
  parseTypedAmount,
  percentOf,
  shareOf,
  signOf,
  subtract,
  sum,
  toMinor,
} from './money';

describe('amounts', () => {
  test('are exact beyond what a float holds', () => {
    expect(add('90071992547409.93', '0.01')).toBe('90071992547409.94');
    expect(subtract('0.30', '0.10')).toBe('0.20');
    expect(sum(['0.10', '0.20', '-0.30'])).toBe('0.00');
  });

  test('read and write every form of the server', () => {
    for (const value of ['0.00', '0.05', '-0.05', '1250.00', '-12.00'])
      expect(fromMinor(toMinor(value))).toBe(value);
    expect(toMinor('12')).toBe(1200n);
    expect(() => toMinor('1e3')).toThrow(RangeError);
  });

  test('compare by value, not by text', () => {
    expect(compare('9.00', '10.00')).toBe(-1);
    expect(compare('10', '10.00')).toBe(0);
    expect(signOf('-0.01')).toBe(-1);
    expect(signOf('0.00')).toBe(0);
  });
});

describe('a typed amount', () => {
  test.each([
    ['1250', '1250.00'],
    [' 12.5 ', '12.50'],
    ['12,5', '12.50'],
    ['1,250.00', '1250.00'],
    ['1,250', '1250.00'],
    ['1.250,00', '1250.00'],
    ['1\u202f250,5', '1250.50'],
    ["1'250.00", '1250.00'],
    ['.5', '0.50'],
    ['5.', '5.00'],
    ['007', '7.00'],
  ])('%s is %s', (typed, amount) => {
    expect(parseTypedAmount(typed)).toBe(amount);
  });

  test.each([
    '',
    ' ',
    'abc',
    '-5',
    '+5',
    '1e3',
    '1.234',
    '1.2.3',
    '.',
    '1,2,3',
    '1.250',
    '1.2,50',
    'NaN',
    '0x10',
  ])('%j is none', (typed) => {
    expect(parseTypedAmount(typed)).toBeNull();
  });
});

test('a share of an amount is rounded down to cents', () => {
  expect(percentOf('99.99', '12.5')).toBe('12.49');
});

test('a share for a bar stays within 0 and 100', () => {
  expect(shareOf('1.00', '3.00')).toBe(33);
  expect(shareOf('5.00', '3.00')).toBe(100);
  expect(shareOf('1.00', '0.00')).toBe(0);
});
