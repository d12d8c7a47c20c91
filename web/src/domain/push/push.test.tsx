import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import { notification } from '@/test/fixtures';
import { restoreBrowser, stubPushBrowser } from '@/test/push-browser';
import { server } from '@/test/server';
import { keepPushOwner, pushOwner } from './device';

const NAME = 'Messages on this device';
const OFFER = 'Tell me on this device';

/** The calls to the server, in order. */
let calls: [name: string, body: unknown][];

beforeEach(() => {
  calls = [];
  for (const call of ['subscribe', 'unsubscribe']) {
    server.use(
      http.post(`*/api/push/${call}`, async ({ request }) => {
        calls.push([call, await request.json()]);
        return ok({});
      }),
    );
  }
});

afterEach(restoreBrowser);

const subscribed = (number: number) => [
  'subscribe',
  { endpoint: `https://push.example/${number}`, p256dh: 'public', auth: 'secret' },
];
const unsubscribed = (number: number) => ['unsubscribe', { endpoint: `https://push.example/${number}` }];

test('the switch under Account subscribes this browser and ends it again', async () => {
  const browser = stubPushBrowser();
  const { user } = openApp('/account');
  const control = await screen.findByRole('switch', { name: NAME });
  expect(control).not.toBeChecked();
  expect(browser.notification.requestPermission).not.toHaveBeenCalled();

  await user.click(control);
  await waitFor(() => expect(screen.getByRole('switch', { name: NAME })).toBeChecked());
  expect(await screen.findByText('Messages are on. The switch is under Account.')).toBeVisible();
  expect(calls).toEqual([subscribed(1)]);
  expect(browser.workers.register).toHaveBeenCalledWith('/sw.js', { updateViaCache: 'none' });

  await user.click(screen.getByRole('switch', { name: NAME }));
  await waitFor(() => expect(screen.getByRole('switch', { name: NAME })).not.toBeChecked());
  expect(calls).toEqual([subscribed(1), unsubscribed(1)]);
  expect(browser.subscription).toBeNull();
  expect(pushOwner()).toBeNull();
});

test('a refusal by the browser is shown, with how to allow messages', async () => {
  stubPushBrowser('denied');
  const { user } = openApp('/account');
  await user.click(await screen.findByRole('switch', { name: NAME }));
  expect(await screen.findByText(/^Blocked in this browser\. .* allow notifications/)).toBeVisible();
  expect(screen.queryByRole('switch', { name: NAME })).not.toBeInTheDocument();
  expect(calls).toEqual([]);
});

test('a server that refuses leaves the browser without a subscription', async () => {
  const browser = stubPushBrowser();
  server.use(http.post('*/api/push/subscribe', () => refusal(400, 'Please check the endpoint')));
  const { user } = openApp('/account');
  await user.click(await screen.findByRole('switch', { name: NAME }));
  expect(await screen.findByText('Please check the endpoint')).toBeVisible();
  await waitFor(() => expect(screen.getByRole('switch', { name: NAME })).toBeEnabled());
  expect(screen.getByRole('switch', { name: NAME })).not.toBeChecked();
  expect(browser.subscription).toBeNull();
});

test('a browser that cannot subscribe says so', async () => {
  const browser = stubPushBrowser();
  browser.pushManager.subscribe.mockRejectedValueOnce(new DOMException('no service', 'AbortError'));
  const { user } = openApp('/account');
  await user.click(await screen.findByRole('switch', { name: NAME }));
  expect(await screen.findByText(/^Messages could not be/)).toBeVisible();
});

test.each([
  [
    'in a host app',
    () => {
      stubPushBrowser();
      vi.stubGlobal('AdfolioHost', { close: () => undefined });
    },
  ],
  ['in a browser without it', () => undefined],
  [
    'without a key on the server',
    () => {
      stubPushBrowser();
      server.use(http.get('*/api/push/key', () => ok({ public_key: null })));
    },
  ],
])('nothing of it is shown %s', async (_, given) => {
  given();
  const { unmount } = openApp('/account');
  expect(await screen.findByRole('heading', { name: 'Settings' })).toBeVisible();
  expect(await screen.findByText('Operating rules')).toBeVisible();
  expect(screen.queryByText(NAME)).not.toBeInTheDocument();
  unmount();
  openApp('/notification');
  expect(await screen.findByText('Deposit credited')).toBeVisible();
  expect(screen.queryByText(OFFER)).not.toBeInTheDocument();
});

test('messages are offered once one of their kind has come, and by a tap only', async () => {
  const browser = stubPushBrowser();
  const { user } = openApp('/notification');
  const offer = await screen.findByRole('region', { name: OFFER });
  expect(browser.notification.requestPermission).not.toHaveBeenCalled();
  await user.click(within(offer).getByRole('button', { name: 'Turn on' }));
  await waitFor(() => expect(screen.queryByText(OFFER)).not.toBeInTheDocument());
  expect(calls).toEqual([subscribed(1)]);
});

test('nothing is offered before', async () => {
  stubPushBrowser();
  const items = [notification({ title: 'New products', kind: 'offer', target: null })];
  server.use(http.post('*/api/user/notifications', () => ok({ items, next_cursor: null, unread_total: 1 })));
  openApp('/notification');
  expect(await screen.findByText('New products')).toBeVisible();
  expect(screen.queryByText(OFFER)).not.toBeInTheDocument();
});

test('an offer that is dismissed does not come back', async () => {
  stubPushBrowser();
  const { user, unmount } = openApp('/notification');
  await user.click(await screen.findByRole('button', { name: 'No, thanks' }));
  expect(screen.queryByText(OFFER)).not.toBeInTheDocument();
  unmount();
  openApp('/notification');
  expect(await screen.findByText('Deposit credited')).toBeVisible();
  expect(screen.queryByText(OFFER)).not.toBeInTheDocument();
});

test('each start and each change of the address registers the browser again', async () => {
  const browser = stubPushBrowser();
  browser.notification.permission = 'granted';
  browser.subscribe();
  keepPushOwner('user-1');
  openApp('/account');
  await waitFor(() => expect(calls).toEqual([subscribed(1)]));
  expect(await screen.findByRole('switch', { name: NAME })).toBeChecked();

  browser.subscribe();
  browser.workers.dispatchEvent(new MessageEvent('message', { data: { type: 'push' } }));
  await waitFor(() => expect(calls).toEqual([subscribed(1), subscribed(2)]));
});

test('a lost subscription and one with another key are replaced at the start', async () => {
  const browser = stubPushBrowser();
  browser.notification.permission = 'granted';
  const old = browser.subscribe('AAAA');
  keepPushOwner('user-1');
  const { unmount } = openApp('/account');
  await waitFor(() => expect(calls).toEqual([subscribed(2)]));
  expect(old.unsubscribe).toHaveBeenCalled();
  unmount();
  browser.subscription = null;
  openApp('/account');
  await waitFor(() => expect(calls).toEqual([subscribed(2), subscribed(3)]));
});

test('another user of this device does not get the messages of the last', async () => {
  const browser = stubPushBrowser();
  browser.notification.permission = 'granted';
  const { unsubscribe } = browser.subscribe();
  keepPushOwner('somebody else');
  openApp('/account');
  await waitFor(() => expect(unsubscribe).toHaveBeenCalled());
  await waitFor(() => expect(pushOwner()).toBeNull());
  expect(await screen.findByRole('switch', { name: NAME })).not.toBeChecked();
  expect(calls).toEqual([]);
});

test('a logout ends the messages, at the server before the session', async () => {
  const browser = stubPushBrowser();
  browser.notification.permission = 'granted';
  const { unsubscribe } = browser.subscribe();
  keepPushOwner('user-1');
  server.use(
    http.post('*/api/auth/logout', () => {
      calls.push(['logout', null]);
      return ok({});
    }),
  );
  const { user } = openApp('/account');
  await waitFor(() => expect(calls).toEqual([subscribed(1)]));
  const settings = within(await screen.findByRole('region', { name: 'Settings' }));
  await user.click(settings.getByRole('button', { name: 'Log out' }));
  const dialog = await screen.findByRole('dialog', { name: 'Log out?' });
  await user.click(within(dialog).getByRole('button', { name: 'Log out' }));
  expect(await screen.findByLabelText('Username')).toBeVisible();
  expect(calls).toEqual([subscribed(1), unsubscribed(1), ['logout', null]]);
  expect(unsubscribe).toHaveBeenCalled();
  expect(pushOwner()).toBeNull();
});
