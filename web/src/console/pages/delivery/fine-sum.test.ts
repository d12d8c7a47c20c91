import { expect, test } from 'vitest';
import { fineSum } from './fine-sum';

test('amounts add up to the last decimal', () => {
  expect(fineSum([])).toBe('0.000000');
  expect(fineSum(['0.10', '0.2', '1.000001'])).toBe('1.300001');
  expect(fineSum(['-0.50', '0.25'])).toBe('-0.250000');
});
