import { beforeEach, expect, test } from 'vitest';
import { ApiError, NETWORK } from '@/lib/api/error';
import { intentionKey, settleIntention } from './intentions';

const PATH = '/admin/wallet/deposit';
const BODY = { user_id: 'u-1', amount: '10.00' };

beforeEach(() => sessionStorage.clear());

test('the same act keeps its key while its outcome is unknown', () => {
  const key = intentionKey(PATH, BODY);
  settleIntention(PATH, BODY, new ApiError(0, '', { reason: NETWORK }));
  settleIntention(PATH, BODY, new ApiError(500, '', {}, 503));
  expect(intentionKey(PATH, BODY)).toBe(key);
  expect(intentionKey(PATH, { ...BODY, amount: '11.00' })).not.toBe(key);
  expect(intentionKey('/admin/wallet/chargeback', BODY)).not.toBe(key);
});

test('what was done or refused is over: the same again is another act', () => {
  const first = intentionKey(PATH, BODY);
  settleIntention(PATH, BODY, null);
  const second = intentionKey(PATH, BODY);
  expect(second).not.toBe(first);
  settleIntention(PATH, BODY, new ApiError(400, 'refused', { reason: 'INSUFFICIENT_BALANCE' }));
  expect(intentionKey(PATH, BODY)).not.toBe(second);
});

test('nothing of an act is kept in clear', () => {
  intentionKey('/admin/staff/create', { username: 'ada', password: 'correct horse battery' });
  expect(JSON.stringify({ ...sessionStorage })).not.toMatch(/ada|correct/);
});
