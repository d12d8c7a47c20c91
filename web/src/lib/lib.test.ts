import { expect, test } from 'vitest';
import { ApiError, NETWORK } from './api/error';
import { IntentionKey, newIdempotencyKey } from './idempotency';
import { offsetText, timeZoneHeader } from './time-zone';

test('the time zone header names the zone and its offset', () => {
  expect(timeZoneHeader(new Date('2026-11-20T12:00:00Z'), 'Etc/UTC')).toBe('Etc/UTC GMT+00:00');
  expect(offsetText(480)).toBe('+08:00');
  expect(offsetText(345)).toBe('+05:45');
  expect(offsetText(-570)).toBe('-09:30');
});

test('a key is 128 random bits', () => {
  expect(newIdempotencyKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(newIdempotencyKey()).not.toBe(newIdempotencyKey());
});

test('an intention keeps its key until it was certainly done or refused', () => {
  const key = new IntentionKey();
  const first = key.for({ amount: '5.00' });
  expect(key.for({ amount: '5.00' })).toBe(first);
  key.settle(new ApiError(0, '', { reason: NETWORK }));
  key.settle(new ApiError(500, '', { reason: 'UNAVAILABLE' }));
  key.settle(new ApiError(500, '', {}, 504));
  expect(key.for({ amount: '5.00' })).toBe(first);
  key.settle(new ApiError(400, '', { reason: 'INSUFFICIENT_BALANCE' }));
  const second = key.for({ amount: '5.00' });
  expect(second).not.toBe(first);
  key.settle(null);
  expect(key.for({ amount: '5.00' })).not.toBe(second);
});

test('other content is another intention', () => {
  const key = new IntentionKey();
  expect(key.for('a')).not.toBe(key.for('b'));
});
