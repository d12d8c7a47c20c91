import { expect, test } from 'vitest';
import { changePercent } from './change';

test('a change is in whole percent of what was before', () => {
  expect(changePercent('1500.00', '1680.00')).toBe(12);
  expect(changePercent(200, 199)).toBe(-1);
  expect(changePercent('-10.00', '20.00')).toBe(300);
  expect(changePercent('0.00', '20.00')).toBeNull();
  expect(changePercent(0, 0)).toBeNull();
  expect(changePercent('999999999.99', '0.00')).toBe(-100);
});
