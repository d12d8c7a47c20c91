import { expect, test } from 'vitest';
import { mostOf } from './cost';

test('a campaign costs at most its value for each coupon', () => {
  expect(mostOf({ mode: 'deduction', value: '12.50', total: 400 })).toBe('5000.00');
});

test('a percentage, or coupons without number, have no limit', () => {
  expect(mostOf({ mode: 'discount', value: '10%', total: 400 })).toBeNull();
  expect(mostOf({ mode: 'addition', value: '5.00', total: null })).toBeNull();
});
