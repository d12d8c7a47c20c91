import { expect, test } from 'vitest';
import { ApiError, NETWORK, STEP_UP_CANCELLED } from '@/lib/api/error';
import { errorText } from './error-text';

test('an error has the server\u2019s text, a rate limit with the wait', () => {
  expect(errorText(new ApiError(400, 'No'))).toBe('No');
  expect(errorText(new ApiError(429, 'Too many', { retry_after: 300 }))).toBe(
    'Too many. Try again in 5 minutes.',
  );
  expect(errorText(new ApiError(0, '', { reason: NETWORK }))).toMatch(/^No connection/);
  expect(errorText(new Error('x'))).toBe('System error');
});

test('a call that the user gave up is no news to them', () => {
  expect(errorText(new ApiError(400, '', { reason: STEP_UP_CANCELLED }))).toBe('');
});

test('a balance that is too low says how much is missing', () => {
  const refused = (missing: string | null) =>
    errorText(new ApiError(400, 'Insufficient balance', { reason: 'INSUFFICIENT_BALANCE', missing }));
  expect(refused('1250.5')).toBe('Insufficient balance. 1,250.50 is missing.');
  expect(refused('0.00')).toBe('Insufficient balance');
  expect(refused(null)).toBe('Insufficient balance');
});
