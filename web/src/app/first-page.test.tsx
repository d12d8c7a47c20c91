import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { delay, http } from 'msw';
import { expect, test } from 'vitest';
import { startSession } from '@/lib/session/store';
import { ok, refusal } from '@/test/answers';
import * as fixtures from '@/test/fixtures';
import { server } from '@/test/server';
import { App } from './app';
import { loadFirstPage } from './page-loader';
import { createQueryClient } from './query-client';
import { visited } from './visit';

const PROPERTY = '*/api/user/property';

/** Starts a visit the way `main.tsx` does. */
async function visit(path: string, token: string | null = 'token-1') {
  if (token) startSession(token, 'register');
  window.history.pushState(null, '', `#${path}`);
  const queryClient = createQueryClient();
  const { route, search } = visited();
  await loadFirstPage(route, queryClient, search);
  render(<App queryClient={queryClient} />);
}

/** Counts the requests for statistics from now on. */
function countQuestions(): () => number {
  let count = 0;
  server.use(
    http.get(PROPERTY, () => {
      count += 1;
      return ok(fixtures.property());
    }),
  );
  return () => count;
}

test('a first page is drawn with what was asked for while it came, asked for once', async () => {
  const asked = countQuestions();
  await visit('/wallet');
  const assets = screen.getByRole('region', { name: 'Total assets' });
  expect(within(assets).getByText('18,450.75')).toBeVisible();
  expect(asked()).toBe(1);
});

test('a page that is opened again asks again', async () => {
  const asked = countQuestions();
  await visit('/wallet');
  await userEvent.click(screen.getByRole('link', { name: 'Plans' }));
  expect(await screen.findByRole('button', { name: 'Place an ad' })).toBeVisible();
  await userEvent.click(screen.getByRole('link', { name: 'Wallet' }));
  await waitFor(() => expect(asked()).toBe(2));
});

test('a first page asks for what its address chooses', async () => {
  const types: (string | null)[] = [];
  server.use(
    http.get('*/api/ad/order/data_statistics/list', ({ request }) => {
      types.push(new URL(request.url).searchParams.get('type'));
      return ok(fixtures.statistics());
    }),
  );
  await visit('/ad-center?range=month');
  expect(screen.getByRole('tab', { name: 'This month', selected: true })).toBeVisible();
  expect(types).toEqual(['3']);
});

test('a first page does not wait for slow answers', async () => {
  server.use(http.get(PROPERTY, () => delay('infinite')));
  await visit('/wallet');
  expect(screen.getByRole('link', { name: 'Available funds' })).toBeVisible();
  expect(screen.queryByText('18,450.75')).toBeNull();
});

test('a refusal of what was asked for before the first page is told like any other', async () => {
  server.use(http.get('*/api/user/info', () => refusal(503, 'Token expired', { reason: 'SESSION_EXPIRED' })));
  await visit('/wallet');
  expect(await screen.findByRole('dialog', { name: 'Login expired' })).toBeVisible();
});

test('a visitor’s first page asks for nothing of an account', async () => {
  server.use(http.get('*/api/user/info', () => expect.unreachable()));
  await visit('/wallet', null);
  expect(await screen.findByRole('button', { name: 'Log in' })).toBeVisible();
});
