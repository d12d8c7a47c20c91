import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { server } from '@/test/server';
import { endStaffSession, startStaffSession } from '../session/store';
import { type Claim, holdClaim } from './hold';

const ITEM = { kind: 'withdrawal', id: 'w-1' } as const;
const CLAIM: Claim = {
  ...ITEM,
  own: false,
  staff: { id: 'staff-2', username: 'grace' },
  claimed_at: '2026-11-29T10:00:00Z',
  expires_at: '2026-11-29T10:02:00Z',
};

/** The calls in the order of their arrival. */
let calls: string[];
let answer: () => Response;
let release: () => void;

beforeEach(() => {
  calls = [];
  answer = () => HttpResponse.json({ code: 200, msg: '', data: CLAIM });
  server.use(
    http.post('*/api/admin/claim', () => {
      calls.push('claim');
      return answer();
    }),
    http.post('*/api/admin/claim/release', () => {
      calls.push('release');
      return HttpResponse.json({ code: 200, msg: '', data: {} });
    }),
  );
  startStaffSession('token-1', {
    id: 'staff-1',
    username: 'ada',
    role: 'admin',
    state: 'active',
    has_second_factor: false,
    has_totp: false,
    passkeys: 0,
    must_change_password: false,
    made_by: null,
    confirmed_by: null,
  });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});

afterEach(() => {
  release();
  vi.useRealTimers();
  endStaffSession(null);
});

test('claims, renews every 45 seconds, tells who was first, and releases', async () => {
  const told = vi.fn();
  release = holdClaim(ITEM, told);
  await expect.poll(() => told.mock.calls).toEqual([[CLAIM]]);
  vi.advanceTimersByTime(45_000);
  await expect.poll(() => calls).toEqual(['claim', 'claim']);
  release();
  await expect.poll(() => calls).toEqual(['claim', 'claim', 'release']);
  vi.advanceTimersByTime(90_000);
  expect(calls).toHaveLength(3);
});

test('an item that is opened again at once stays claimed', async () => {
  holdClaim(ITEM, vi.fn())();
  release = holdClaim(ITEM, vi.fn());
  await expect.poll(() => calls.at(-1)).toBe('claim');
  expect(calls).toEqual(['release', 'claim']);
});

test('a page that goes releases without waiting for its turn', async () => {
  release = holdClaim(ITEM, vi.fn());
  await expect.poll(() => calls).toEqual(['claim']);
  const sent = vi.spyOn(globalThis, 'fetch');
  window.dispatchEvent(new Event('pagehide'));
  expect(sent.mock.calls.map(([, init]) => init?.keepalive)).toEqual([true]);
  await expect.poll(() => calls).toEqual(['claim', 'release']);
});

test('a refusal is no obstacle, and a claim is not released with another session', async () => {
  answer = () => HttpResponse.json({ code: 403, msg: '', data: { reason: 'FORBIDDEN' } });
  const told = vi.fn();
  release = holdClaim(ITEM, told);
  await expect.poll(() => calls).toEqual(['claim']);
  vi.advanceTimersByTime(45_000);
  await expect.poll(() => calls).toEqual(['claim', 'claim']);
  expect(told).not.toHaveBeenCalled();
  endStaffSession(null);
  release();
  vi.advanceTimersByTime(45_000);
  expect(calls).toHaveLength(2);
});
