import { screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { expect, test, vi } from 'vitest';
import { sessionStore, startSession } from '@/lib/session/store';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { server } from '@/test/server';
import { parts } from './parts';

const expired = () => refusal(503, 'Token expired', { reason: 'SESSION_EXPIRED' });
const unknown = () => refusal(401, 'User not authorised', { reason: 'NOT_AUTHENTICATED' });

test('the root leads to the login, an unknown path to the page that says so', async () => {
  const { unmount } = openApp('/', { token: null });
  expect(await screen.findByRole('heading', { name: 'Welcome back' })).toBeVisible();
  expect(address()).toBe('/login');
  unmount();
  openApp('/no/such/page', { token: null });
  expect(await screen.findByText('This page does not exist')).toBeVisible();
  expect(address()).toBe('/404');
});

test('an expired session shows one dialog, whatever number of calls ran into it', async () => {
  server.use(
    http.get('*/api/user/info', expired),
    http.get('*/api/ad/order/data_statistics/list', expired),
    http.post('*/api/user/notifications/unread_count', expired),
  );
  const { user } = openApp('/ad-center?range=week');
  const dialog = await screen.findByRole('dialog', { name: 'Login expired' });
  expect(screen.getAllByRole('dialog')).toHaveLength(1);
  expect(dialog).toHaveTextContent('Login expired, please log in again.');
  await user.click(screen.getByRole('button', { name: 'Log in again' }));
  expect(await screen.findByLabelText('Username')).toBeVisible();
  expect(sessionStore.get().token).toBeNull();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

test('what is tapped while the dialog is still being fetched does not answer it', async () => {
  server.use(http.get('*/api/ad/order/data_statistics/list', expired));
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const fetchDialog = parts.blockingDialog;
  const fetching = vi.spyOn(parts, 'blockingDialog').mockImplementation(async () => {
    await arrived;
    return fetchDialog();
  });
  const { user } = openApp('/ad-center');
  await waitFor(() => expect(fetching).toHaveBeenCalled());
  await user.click(screen.getByRole('tab', { name: 'This week' }));
  arrive();
  expect(await screen.findByRole('dialog', { name: 'Login expired' })).toBeVisible();
  expect(address()).toBe('/ad-center?range=week');
  expect(sessionStore.get().token).not.toBeNull();
  await user.click(screen.getByRole('button', { name: 'Log in again' }));
  expect(await screen.findByLabelText('Username')).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

test('an unknown token leads to the login', async () => {
  server.use(http.get('*/api/user/property', unknown));
  openApp('/wallet');
  expect(await screen.findByLabelText('Username')).toBeVisible();
  expect(address()).toBe('/login');
});

test('the entry takes token and language out of its query and moves on', async () => {
  let token: string | null = null;
  server.use(
    http.get('*/api/user/info', ({ request }) => {
      token = request.headers.get('X-CT');
      return ok(fixtures.userInfo({ entry: 'host' }));
    }),
  );
  openApp('/entry?token=host-token&lang=en', { token: null });
  expect(await screen.findByText('+334.35')).toBeVisible();
  expect(address()).toBe('/ad-center');
  expect(token).toBe('host-token');
  expect(sessionStore.get()).toMatchObject({ token: 'host-token', entry: 'host' });
  expect(screen.queryByRole('button', { name: 'Log out' })).not.toBeInTheDocument();
});

test.each([
  ['unknown', unknown],
  ['not activated', () => refusal(402, 'Account not activated', { reason: 'ACCOUNT_NOT_ACTIVATED' })],
])('a host user that is %s opens the account with a code', async (_state, answer) => {
  server.use(http.get('*/api/user/info', answer));
  let sent: { token: string | null; body: unknown } = { token: null, body: null };
  server.use(
    http.post('*/api/opening_store', async ({ request }) => {
      sent = { token: request.headers.get('X-CT'), body: await request.json() };
      server.use(http.get('*/api/user/info', () => ok(fixtures.userInfo({ entry: 'host' }))));
      return ok({ token: 'opened', expires_at: fixtures.at(0), user: fixtures.userInfo({ entry: 'host' }) });
    }),
  );
  const { user } = openApp('/entry?token=host-token&lang=en', { token: null });
  expect(await screen.findByRole('heading', { name: 'Open your ad account' })).toBeVisible();
  expect(address()).toBe('/ad-welcome?token=host-token&lang=en');
  await user.type(screen.getByLabelText('Authorisation code'), 'DEMO-LICENSE-0002');
  await user.click(screen.getByRole('button', { name: 'Open account' }));
  expect(await screen.findByText('+334.35')).toBeVisible();
  expect(sent).toEqual({ token: 'host-token', body: { code: 'DEMO-LICENSE-0002' } });
  expect(sessionStore.get().token).toBe('opened');
});

test('a wrong code is said at its field', async () => {
  server.use(
    http.post('*/api/opening_store', () =>
      refusal(400, 'Authorization code not found', { reason: 'LICENSE_NOT_FOUND', field: 'code' }),
    ),
  );
  const { user } = openApp('/ad-welcome?token=host-token', { token: null });
  await user.type(await screen.findByLabelText('Authorisation code'), 'nope');
  await user.click(screen.getByRole('button', { name: 'Open account' }));
  await waitFor(() =>
    expect(screen.getByLabelText('Authorisation code')).toHaveAccessibleDescription(
      /^Authorization code not found/,
    ),
  );
});

test('data of one user does not outlive his session', async () => {
  const { user } = openApp('/account');
  await screen.findByText('Demo Advertiser');
  startSession('token-of-another', 'register');
  server.use(http.get('*/api/user/info', () => ok(fixtures.userInfo({ nickname: 'Somebody else' }))));
  await user.click(screen.getByRole('link', { name: 'Wallet' }));
  await user.click(await screen.findByRole('link', { name: 'Account' }));
  expect(await screen.findByText('Somebody else')).toBeVisible();
});

test('the language sheet offers what can be loaded and closes with Back', async () => {
  const { user } = openApp('/ad-center');
  await user.click(await screen.findByRole('button', { name: 'Language' }));
  const sheet = await screen.findByRole('dialog', { name: 'Language' });
  expect(screen.getByRole('option', { name: 'English', selected: true })).toBeVisible();
  window.history.back();
  await waitFor(() => expect(sheet).not.toBeInTheDocument());
  expect(address()).toBe('/ad-center');
});
