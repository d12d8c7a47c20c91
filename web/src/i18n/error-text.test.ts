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
