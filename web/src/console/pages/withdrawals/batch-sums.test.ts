import { expect, test } from 'vitest';
import { batchSums } from './batch-sums';

test('a bank pays out the amounts less the fees', () => {
  const asked = [
    { amount: '120.00', fee: '1.20' },
    { amount: '0.10', fee: '0.00' },
    { amount: '9999999999999.99', fee: '0.05' },
  ];
  expect(batchSums(asked)).toEqual({ amount: '10000000000120.09', fee: '1.25', payout: '10000000000118.84' });
  expect(batchSums([])).toEqual({ amount: '0.00', fee: '0.00', payout: '0.00' });
});
