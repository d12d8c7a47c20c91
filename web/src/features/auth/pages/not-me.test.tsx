import { act, screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { sessionStore } from '@/lib/session/store';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import { server } from '@/test/server';

const STOP = '*/api/user/freeze/mail';
const TOKEN = 'mS3vDk0nqL7xYw1aB5cE9fGhJ2kPtR4uVzN6oQ8iXyI';
const LINK = `/not-me?token=${TOKEN}`;

/** A server that takes the link, and the calls it got. */
function serve() {
  const calls: { session: string | null; body: unknown }[] = [];
  server.use(
    http.post(STOP, async ({ request }) => {
      calls.push({ session: request.headers.get('X-CT'), body: await request.json() });
      return ok({});
    }),
  );
  return calls;
}

const button = () => screen.findByRole('button', { name: 'Stop payments' });

test.each([null, 'token-of-somebody'])(
  'the button stops payments with session %s, and nothing else does',
  async (session) => {
    const calls = serve();
    const { user } = openApp(LINK, { token: session, strict: true });
    expect(await screen.findByRole('heading', { name: 'Was this not you?' })).toBeVisible();
    expect(screen.getByText(/until you and our staff have spoken/)).toBeVisible();
    await waitFor(() => expect(address()).toBe('/not-me'));
    expect(calls).toEqual([]);
    await user.click(await button());
    expect(await screen.findByRole('heading', { name: 'Payments are stopped' })).toBeVisible();
    expect(calls).toEqual([{ session: null, body: { token: TOKEN } }]);
    expect(sessionStore.get().token).toBe(session);
    expect(screen.getByText(/change your login password/)).toBeVisible();
    expect(screen.getByRole('button', { name: 'Contact customer service' })).toBeVisible();
  },
);

test('afterwards a visitor gets to the security page by the login', async () => {
  serve();
  const { user } = openApp(LINK, { token: null });
  await user.click(await button());
  await user.click(await screen.findByRole('link', { name: 'Security' }));
  expect(await screen.findByRole('heading', { name: 'Welcome back' })).toBeVisible();
});

test('a link that is no longer valid says what to do instead', async () => {
  server.use(http.post(STOP, () => refusal(400, 'Too old', { reason: 'DISOWN_LINK_INVALID', field: null })));
  const { user } = openApp(LINK, { token: null });
  await user.click(await button());
  expect(await screen.findByRole('heading', { name: 'This link has expired' })).toBeVisible();
  expect(screen.getByText(/in the app under Security/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Stop payments' })).not.toBeInTheDocument();
});

test('a lost answer can be asked for again', async () => {
  const calls = serve();
  server.use(http.post(STOP, () => HttpResponse.error(), { once: true }));
  const { user } = openApp(LINK, { token: null });
  await user.click(await button());
  expect(await screen.findByText(/No connection to the server/)).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('heading', { name: 'Payments are stopped' })).toBeVisible();
  expect(calls).toHaveLength(1);
});

test('another link in the same tab begins anew', async () => {
  const calls = serve();
  const { user } = openApp(LINK, { token: null });
  await user.click(await button());
  expect(await screen.findByRole('heading', { name: 'Payments are stopped' })).toBeVisible();
  act(() => {
    window.history.pushState(null, '', '#/not-me?token=another');
    window.dispatchEvent(new PopStateEvent('popstate'));
  });
  await user.click(await button());
  expect(await screen.findByRole('heading', { name: 'Payments are stopped' })).toBeVisible();
  expect(calls.at(-1)?.body).toEqual({ token: 'another' });
});

test('without a token there is nothing to press', async () => {
  openApp('/not-me', { token: null });
  expect(await screen.findByRole('heading', { name: 'This link has expired' })).toBeVisible();
});
