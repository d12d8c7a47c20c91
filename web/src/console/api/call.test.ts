import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { server } from '@/test/server';
import { endStaffSession, type Staff, staffSession, startStaffSession } from '../session/store';
import { staffGet, staffPost } from './call';
import { SECOND_FACTOR_CANCELLED, secondFactorAsked } from './second-factor';

const ADA: Staff = {
  id: 'staff-1',
  username: 'ada',
  role: 'admin',
  state: 'active',
  has_second_factor: true,
  has_totp: true,
  passkeys: 0,
  must_change_password: false,
  made_by: null,
  confirmed_by: null,
};

const ok = (data: unknown) => HttpResponse.json({ code: 200, msg: '', data });
const refused = (code: number, reason: string) =>
  HttpResponse.json({ code, msg: reason, data: { reason, field: null } });

beforeEach(() => startStaffSession('token-1', ADA));
afterEach(() => endStaffSession(null));

test('sends the token of this tab, the language and the key', async () => {
  const seen: Headers[] = [];
  server.use(
    http.post('*/api/admin/withdraw/decide', ({ request }) => {
      seen.push(request.headers);
      return ok({});
    }),
  );
  await staffPost('/admin/withdraw/decide', { id: 'w-1', decision: 'paid' }, { idempotencyKey: 'key-1' });
  expect(seen[0]?.get('X-CT')).toBe('token-1');
  expect(seen[0]?.get('X-Lang')).toBe('en');
  expect(seen[0]?.get('Idempotency-Key')).toBe('key-1');
});

test('a session that has ended leads to the login, and says so', async () => {
  server.use(http.get('*/api/admin/user/list', () => refused(401, 'NOT_AUTHENTICATED')));
  await expect(staffGet('/admin/user/list', {})).rejects.toThrow();
  expect(staffSession.get()).toMatchObject({ token: null, endedBy: 'expired' });
});

test('a refusal for the role keeps the session', async () => {
  server.use(http.get('*/api/admin/user/list', () => refused(403, 'FORBIDDEN')));
  await expect(staffGet('/admin/user/list', {})).rejects.toThrow();
  expect(staffSession.get().token).toBe('token-1');
});

test('the answer to an old session does not end the new one', async () => {
  server.use(
    http.get('*/api/admin/user/list', () => {
      startStaffSession('token-2', ADA);
      return refused(401, 'NOT_AUTHENTICATED');
    }),
  );
  await expect(staffGet('/admin/user/list', {})).rejects.toThrow();
  expect(staffSession.get().token).toBe('token-2');
});

/** A call that is refused until a second factor has been shown, with the keys of its attempts. */
function guarded(): string[] {
  const keys: string[] = [];
  server.use(
    http.post('*/api/admin/withdraw/decide', ({ request }) => {
      keys.push(request.headers.get('Idempotency-Key') ?? '');
      return keys.length === 1 ? refused(400, 'SECOND_FACTOR_REQUIRED') : ok({});
    }),
  );
  return keys;
}

const decide = () =>
  staffPost('/admin/withdraw/decide', { id: 'w-1', decision: 'paid' }, { idempotencyKey: 'key-1' });

test('a call waits for the second factor and is made again with its key', async () => {
  const keys = guarded();
  const done = decide();
  await expect.poll(() => secondFactorAsked.get()).not.toBeNull();
  secondFactorAsked.get()?.settle(true);
  await done;
  expect(keys).toEqual(['key-1', 'key-1']);
  expect(secondFactorAsked.get()).toBeNull();
});

test('a call that was given up instead changes nothing', async () => {
  const keys = guarded();
  const done = decide();
  await expect.poll(() => secondFactorAsked.get()).not.toBeNull();
  secondFactorAsked.get()?.settle(false);
  await expect(done).rejects.toMatchObject({ reason: SECOND_FACTOR_CANCELLED });
  expect(keys).toHaveLength(1);
});

test('who has no second factor sees the refusal, and is led to set one up', async () => {
  startStaffSession('token-1', { ...ADA, has_second_factor: false });
  guarded();
  await expect(decide()).rejects.toMatchObject({ reason: 'SECOND_FACTOR_REQUIRED' });
  expect(staffSession.get().mustSetUpFactor).toBe(true);
  expect(secondFactorAsked.get()).toBeNull();
});
