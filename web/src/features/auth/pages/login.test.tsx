import { act, screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { deviceToken, endSession, sessionStore } from '@/lib/session/store';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { server } from '@/test/server';

test('a visitor of a page that needs a login comes to the login and back after it', async () => {
  const { user } = openApp('/wallet', { token: null });
  await user.type(await screen.findByLabelText('Username'), 'demo');
  await user.type(screen.getByLabelText('Password'), 'adfolio-demo-1');
  await user.click(screen.getByRole('button', { name: 'Log in' }));
  expect(await screen.findByText('Total assets')).toBeVisible();
  expect(address()).toBe('/wallet');
  expect(sessionStore.get()).toMatchObject({ token: 'token-1', entry: 'register' });
});

test('a login sends the token that the last one gave this device, also after a logout', async () => {
  const sent: unknown[] = [];
  const tokens = ['device-1', 'device-2'];
  server.use(
    http.post('*/api/auth/v2/login', async ({ request }) => {
      sent.push(await request.json());
      const userInfo = fixtures.userInfo();
      return ok({
        token: `token-${sent.length}`,
        device_token: tokens[sent.length - 1] ?? null,
        expires_at: fixtures.at(86_400_000),
        user: userInfo,
      });
    }),
  );
  const { user } = openApp('/login', { token: null });
  for (const token of ['token-1', 'token-2', 'token-3']) {
    await user.type(await screen.findByLabelText('Username'), 'demo');
    await user.type(screen.getByLabelText('Password'), 'adfolio-demo-1');
    await user.click(screen.getByRole('button', { name: 'Log in' }));
    await waitFor(() => expect(sessionStore.get().token).toBe(token));
    act(() => endSession(true));
  }
  const body = { username: 'demo', password: 'adfolio-demo-1' };
  expect(sent).toEqual([
    { ...body, device_token: null },
    { ...body, device_token: 'device-1' },
    { ...body, device_token: 'device-2' },
  ]);
  // An answer without one keeps the one that is there.
  expect(deviceToken()).toBe('device-2');
});

test('empty fields are named and the first one gets the focus', async () => {
  const { user } = openApp('/login', { token: null });
  await user.click(await screen.findByRole('button', { name: 'Log in' }));
  const username = screen.getByLabelText('Username');
  expect(username).toHaveFocus();
  expect(username).toHaveAccessibleDescription('Please enter username');
  expect(screen.getByLabelText('Password')).toHaveAccessibleDescription('Please enter password');
});

test('a refused login shows the text of the server and keeps what was typed', async () => {
  server.use(
    http.post('*/api/auth/v2/login', () =>
      refusal(400, 'Wrong username or password', { reason: 'BAD_CREDENTIALS' }),
    ),
  );
  const { user } = openApp('/login', { token: null });
  await user.type(await screen.findByLabelText('Username'), 'demo');
  await user.type(screen.getByLabelText('Password'), 'wrong-password');
  await user.click(screen.getByRole('button', { name: 'Log in' }));
  expect(await screen.findByText('Wrong username or password')).toBeVisible();
  expect(screen.getByLabelText('Username')).toHaveValue('demo');
  expect(screen.getByLabelText('Password')).toHaveValue('wrong-password');
});

test('a limit says how long it lasts', async () => {
  server.use(
    http.post('*/api/auth/v2/login', () =>
      refusal(429, 'Too many attempts.', { reason: 'TOO_MANY_ATTEMPTS', retry_after: 1790 }),
    ),
  );
  const { user } = openApp('/login', { token: null });
  await user.type(await screen.findByLabelText('Username'), 'demo');
  await user.type(screen.getByLabelText('Password'), 'wrong-password');
  await user.click(screen.getByRole('button', { name: 'Log in' }));
  expect(await screen.findByText('Too many attempts. Try again in 30 minutes.')).toBeVisible();
});

test('a disabled account is told in a dialog', async () => {
  server.use(
    http.post('*/api/auth/v2/login', () =>
      refusal(403, 'Account disabled, contact customer service', { reason: 'ACCOUNT_DISABLED', lang: 'en' }),
    ),
  );
  const { user } = openApp('/login', { token: null });
  await user.type(await screen.findByLabelText('Username'), 'demo');
  await user.type(screen.getByLabelText('Password'), 'adfolio-demo-1');
  await user.click(screen.getByRole('button', { name: 'Log in' }));
  const dialog = await screen.findByRole('dialog', { name: 'Account unavailable' });
  expect(dialog).toHaveTextContent('Account disabled, contact customer service');
  await user.click(screen.getByRole('button', { name: 'OK' }));
  expect(await screen.findByLabelText('Username')).toHaveValue('demo');
});

test('every call carries token, time zone and language', async () => {
  let headers = new Headers();
  server.use(
    http.get('*/api/user/property', ({ request }) => {
      headers = request.headers;
      return HttpResponse.error();
    }),
  );
  openApp('/wallet');
  expect(await screen.findByText('Could not load this', undefined, { timeout: 8000 })).toBeVisible();
  expect(headers.get('X-CT')).toBe('token-1');
  expect(headers.get('X-TZ')).toBe('UTC GMT+00:00');
  expect(headers.get('X-Lang')).toBe('en');
}, 10_000);
