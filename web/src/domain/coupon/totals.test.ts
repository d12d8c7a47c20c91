import { describe, expect, test } from 'vitest';
import { missingFor, putTotals } from './totals';

describe('what a put comes to', () => {
  test('without a coupon it is the amount', () => {
    expect(putTotals('100.00', null)).toEqual({ paid: '100.00', worth: '0.00', budget: '100.00' });
  });

  test('a discount is rounded down to cents', () => {
    expect(putTotals('33.33', { mode: 'discount', value: '10%' })).toEqual({
      paid: '30.00',
      worth: '3.33',
      budget: '33.33',
    });
  });

  test('a deduction is never worth more than the amount', () => {
    expect(putTotals('15.00', { mode: 'deduction', value: '20.00' })).toEqual({
      paid: '0.00',
      worth: '15.00',
      budget: '15.00',
    });
  });

  test('an addition makes the budget larger', () => {
    expect(putTotals('1000.00', { mode: 'addition', value: '50.00' })).toEqual({
      paid: '1000.00',
      worth: '50.00',
      budget: '1050.00',
    });
  });
});

test('what is missing for a requirement', () => {
  expect(missingFor({ amount_requirement: '100.00' }, '80.00')).toBe('20.00');
  expect(missingFor({ amount_requirement: '100.00' }, '100.00')).toBeNull();
  expect(missingFor({ amount_requirement: '0.00' }, '0.01')).toBeNull();
});
