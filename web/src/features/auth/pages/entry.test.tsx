import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { delay, HttpResponse, http } from 'msw';
import { afterEach, expect, test, vi } from 'vitest';
import type { UserInfo } from '@/lib/api/types';
import { deviceToken, endSession, sessionStore } from '@/lib/session/store';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { server } from '@/test/server';

const HOST = '*/api/auth/v2/host';
const ASSERTION = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1c2VyLTEifQ.c2lnbmF0dXJl-_1';
const LINK = `/entry?token=${ASSERTION}&lang=en`;

const rejected = () => refusal(400, 'Rejected', { reason: 'ASSERTION_REJECTED', field: 'assertion' });

/** A server that takes an assertion once, and the calls it got. */
function serve(user: Partial<UserInfo> = {}) {
  const calls: { token: string | null; body: unknown }[] = [];
  const info = fixtures.userInfo({ entry: 'host', ...user });
  server.use(
    http.post(HOST, async ({ request }) => {
      calls.push({ token: request.headers.get('X-CT'), body: await request.json() });
      await delay(20);
      return calls.length > 1
        ? rejected()
        : ok({ token: 'opened', device_token: 'device', expires_at: fixtures.at(900_000), user: info });
    }),
    http.get('*/api/user/info', () =>
      info.state === 'not_activated'
        ? refusal(402, 'Account not activated', { reason: 'ACCOUNT_NOT_ACTIVATED' })
        : ok(info),
    ),
  );
  return calls;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test('an assertion opens a session, whoever was logged in before, and leaves the address', async () => {
  const calls = serve();
  openApp(LINK, { token: 'token-of-another' });
  expect(await screen.findByText('+334.35')).toBeVisible();
  expect(address()).toBe('/ad-center');
  expect(calls).toEqual([{ token: null, body: { assertion: ASSERTION } }]);
  expect(sessionStore.get()).toMatchObject({ token: 'opened', entry: 'host' });
  // A host's user never logs in with a password; the device's token may be of somebody who does.
  expect(deviceToken()).toBeNull();
});

test('effects that run twice spend an assertion once', async () => {
  const calls = serve();
  openApp(LINK, { token: null, strict: true });
  expect(await screen.findByText('+334.35')).toBeVisible();
  expect(calls).toHaveLength(1);
});

test('a link that the host loads again continues with the session that it has opened', async () => {
  const calls = serve();
  const { unmount } = openApp(LINK, { token: null });
  expect(await screen.findByText('+334.35')).toBeVisible();
  unmount();
  openApp(LINK, { token: null });
  expect(await screen.findByText('+334.35')).toBeVisible();
  expect(address()).toBe('/ad-center');
  expect(calls).toHaveLength(1);
});

test('after that session has ended the link is spent', async () => {
  const calls = serve();
  const { unmount } = openApp(LINK, { token: null });
  expect(await screen.findByText('+334.35')).toBeVisible();
  unmount();
  endSession();
  openApp(LINK, { token: null });
  expect(await screen.findByText('This link has expired')).toBeVisible();
  expect(calls).toHaveLength(2);
});

test('a user without an account opens one with the session of the assertion, which then counts as its own', async () => {
  const calls = serve({ state: 'not_activated' });
  let token: string | null = null;
  server.use(
    http.post('*/api/opening_store', ({ request }) => {
      token = request.headers.get('X-CT');
      const user = fixtures.userInfo({ entry: 'host' });
      server.use(http.get('*/api/user/info', () => ok(user)));
      return ok({ token: 'activated', expires_at: fixtures.at(0), user });
    }),
  );
  const { user, unmount } = openApp(LINK, { token: null });
  expect(await screen.findByRole('heading', { name: 'Open your ad account' })).toBeVisible();
  expect(address()).toBe('/ad-welcome?lang=en');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  await user.type(screen.getByLabelText('Authorisation code'), 'DEMO-LICENSE-0002');
  await user.click(screen.getByRole('button', { name: 'Open account' }));
  expect(await screen.findByText('+334.35')).toBeVisible();
  expect(token).toBe('opened');
  expect(sessionStore.get().token).toBe('activated');
  unmount();
  openApp(LINK, { token: null });
  expect(await screen.findByText('+334.35')).toBeVisible();
  expect(calls).toHaveLength(1);
});

test('a link of a user without an account leads there again when it is loaded again', async () => {
  const calls = serve({ state: 'not_activated' });
  const { unmount } = openApp(LINK, { token: null });
  expect(await screen.findByRole('heading', { name: 'Open your ad account' })).toBeVisible();
  unmount();
  openApp(LINK, { token: null });
  expect(await screen.findByRole('heading', { name: 'Open your ad account' })).toBeVisible();
  await waitFor(() => expect(address()).toBe('/ad-welcome?lang=en'));
  expect(calls).toHaveLength(1);
});

test('a rejected assertion says what to do, in the language of the link', async () => {
  server.use(http.post(HOST, rejected));
  const close = vi.fn();
  vi.stubGlobal('AdfolioHost', { close });
  const { user, unmount } = openApp(LINK, { token: null });
  expect(await screen.findByText('This link has expired')).toBeVisible();
  expect(screen.getByText('Open Adfolio again from the app.')).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Close' }));
  expect(close).toHaveBeenCalled();
  unmount();
  openApp(`/entry?token=${ASSERTION}&lang=de`, { token: null });
  expect(await screen.findByText(/^Dieser Link .* abgelaufen/)).toBeVisible();
});

test('a lost answer can be asked for again', async () => {
  serve();
  server.use(http.post(HOST, () => HttpResponse.error(), { once: true }));
  openApp(LINK, { token: null });
  await userEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('+334.35')).toBeVisible();
});
