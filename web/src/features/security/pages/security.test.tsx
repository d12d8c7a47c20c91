import { screen, waitFor, within } from '@testing-library/react';
import { delay, http } from 'msw';
import { expect, test } from 'vitest';
import type { OwnSession } from '@/lib/api/types';
import { ok, page, refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { ownSession, ownSessions, securityEntry } from '@/test/fixtures-account';
import { server } from '@/test/server';

const SESSIONS = '*/api/user/sessions';
const END = '*/api/user/sessions/end';
const LOG = '*/api/user/security/log';

const devices = () => screen.findByRole('region', { name: 'Where you are logged in' });
const activity = () => screen.findByRole('region', { name: 'Activity on your account' });

/** A server that ends sessions on request and records the requests. */
function endingServer() {
  const sent: { id?: string; others?: boolean }[] = [];
  let alive: OwnSession[] = ownSessions;
  server.use(
    http.get(SESSIONS, () => ok({ items: alive })),
    http.post(END, async ({ request }) => {
      const body = (await request.json()) as { id?: string; others?: boolean };
      sent.push(body);
      await delay(50);
      alive = alive.filter(({ id, current }) => current || (!body.others && id !== body.id));
      return ok({});
    }),
  );
  return sent;
}

test('the menu leads to the devices, this one first, and to what was done to the account', async () => {
  const { user } = openApp('/account');
  await user.click(await screen.findByRole('link', { name: 'Security' }));
  await screen.findByText('This device');
  const items = within(await devices()).getAllByRole('listitem');
  expect(items).toHaveLength(3);
  expect(items[0]).toHaveTextContent('Chrome · Android');
  expect(items[0]).toHaveTextContent('This device');
  expect(items[0]).toHaveTextContent('192.0.2.7');
  expect(within(items[0] as HTMLElement).queryByRole('button')).toBeNull();
  expect(items[1]).toHaveTextContent('Firefox · Windows');
  expect(items[2]).toHaveTextContent('Unknown device');
  await screen.findByText('Deposit credited');
  const entries = within(await activity()).getAllByRole('listitem');
  expect(entries[0]).toHaveTextContent(/^Deposit credited2,000\.00Statement of May, page 3Staff/);
  expect(entries[1]).toHaveTextContent(/^Login password changedYou/);
  expect(entries.at(-1)).toHaveTextContent(/^Another change by staffStaff/);
});

test('one session is ended once and goes', async () => {
  const sent = endingServer();
  const { user } = openApp('/ad-center/security');
  const end = await screen.findByRole('button', { name: 'End session: Firefox · Windows' });
  await user.dblClick(end);
  expect(await screen.findByText('Session ended')).toBeVisible();
  await waitFor(() => expect(screen.queryByText('Firefox · Windows')).toBeNull());
  expect(screen.getByText('Chrome · Android')).toBeVisible();
  expect(sent).toEqual([{ id: 'session-1' }]);
});

test('who leaves the page meanwhile is told all the same', async () => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  server.use(
    http.post(END, async () => {
      await asked;
      return ok({});
    }),
  );
  const { user } = openApp('/ad-center/security');
  await user.click(await screen.findByRole('button', { name: 'End session: Firefox · Windows' }));
  await user.click(screen.getByRole('button', { name: 'Back' }));
  await waitFor(() => expect(screen.queryByText('Firefox · Windows')).toBeNull());
  answer();
  expect(await screen.findByText('Session ended')).toBeVisible();
});

test('all others are ended after a question', async () => {
  const sent = endingServer();
  const { user } = openApp('/ad-center/security');
  await user.click(await screen.findByRole('button', { name: 'End all other sessions' }));
  let dialog = await screen.findByRole('dialog', { name: 'End all other sessions?' });
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(dialog).not.toBeInTheDocument());
  expect(sent).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'End all other sessions' }));
  dialog = await screen.findByRole('dialog', { name: 'End all other sessions?' });
  await user.dblClick(within(dialog).getByRole('button', { name: 'End all other sessions' }));
  expect(await screen.findByText('All other sessions have ended')).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(screen.queryByRole('button', { name: 'End all other sessions' })).toBeNull());
  expect(within(await devices()).getAllByRole('listitem')).toHaveLength(1);
  expect(sent).toEqual([{ others: true }]);
});

test('a session that could not be ended stays and says why', async () => {
  server.use(http.post(END, () => refusal(405, 'Data error', { reason: 'NOT_FOUND', field: 'id' })));
  const { user } = openApp('/ad-center/security');
  const end = await screen.findByRole('button', { name: 'End session: Firefox · Windows' });
  await user.click(end);
  expect(await screen.findByText('Data error')).toBeVisible();
  await waitFor(() => expect(end).toBeEnabled());
});

test('a user who is logged in once has nothing else to end', async () => {
  server.use(http.get(SESSIONS, () => ok({ items: [ownSession({ current: true })] })));
  openApp('/ad-center/security');
  const region = await devices();
  expect(await within(region).findByText('This device')).toBeVisible();
  expect(within(region).queryByRole('button')).toBeNull();
});

test('each part fails and is tried again by itself', async () => {
  let works = false;
  const answer = (data: unknown) => (works ? ok(data) : refusal(500, 'Upstream unavailable'));
  server.use(
    http.get(SESSIONS, () => answer({ items: ownSessions })),
    http.get(LOG, () => answer(page([]))),
  );
  const { user } = openApp('/ad-center/security');
  const [sessions, log] = [await devices(), await activity()];
  await within(sessions).findByRole('alert');
  await within(log).findByRole('alert');
  works = true;
  await user.click(within(sessions).getByRole('button', { name: 'Try again' }));
  expect(await within(sessions).findByText('This device')).toBeVisible();
  await user.click(within(log).getByRole('button', { name: 'Try again' }));
  expect(await within(log).findByText('Nothing has happened yet')).toBeVisible();
});

test('the log goes on by its cursor', async () => {
  const first = securityEntry({ id: 'new', action: 'plan.push', amount: '100.00' });
  const second = securityEntry({ id: 'old', action: 'coupon.grant', amount: null });
  server.use(
    http.get(LOG, ({ request }) =>
      new URL(request.url).searchParams.get('cursor') === 'further'
        ? ok(page([second]))
        : ok({ items: [first], next_cursor: 'further' }),
    ),
  );
  const { user } = openApp('/ad-center/security');
  const log = await activity();
  expect(await within(log).findByText('Plan proposed')).toBeVisible();
  const more = within(log).queryByRole('button', { name: 'Load more' });
  if (more) await user.click(more);
  expect(await within(log).findByText('Coupon granted')).toBeVisible();
});

const stop = () => screen.findByRole('region', { name: 'Stop payouts' });

/** A wallet that is frozen, and what was asked of it. */
function freezingServer(frozen_at: string | null) {
  const asked: string[] = [];
  let since = frozen_at;
  const answer = () =>
    ok(fixtures.property({ frozen_at: since, withdraw_blocked_by: since ? ['WALLET_FROZEN'] : [] }));
  server.use(
    http.get('*/api/user/property', answer),
    http.post('*/api/user/:what', ({ params }) => {
      asked.push(String(params.what));
      if (params.what === 'freeze') since = fixtures.at(0);
      return answer();
    }),
  );
  return asked;
}

test('payouts are stopped after a question', async () => {
  const asked = freezingServer(null);
  const { user } = openApp('/ad-center/security');
  await user.click(
    await within(await stop()).findByRole('button', { name: 'Stop withdrawals and exchanges' }),
  );
  const sheet = await screen.findByRole('dialog', { name: 'Stop withdrawals and exchanges?' });
  await user.click(within(sheet).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(sheet).not.toBeInTheDocument());
  expect(asked).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Stop withdrawals and exchanges' }));
  const again = await screen.findByRole('dialog', { name: 'Stop withdrawals and exchanges?' });
  await user.click(within(again).getByRole('button', { name: 'Stop withdrawals and exchanges' }));
  expect(await screen.findByText('Withdrawals and exchanges are stopped')).toBeVisible();
  expect(await screen.findByText(/^Stopped since/)).toBeVisible();
  expect(asked).toEqual(['freeze']);
});

test('the owner agrees that they go on, and is led to customer service', async () => {
  const asked = freezingServer(fixtures.at(0));
  const { user } = openApp('/ad-center/security');
  await user.click(await screen.findByRole('button', { name: 'Let them go on' }));
  expect(await screen.findByText(/^You have agreed\./)).toBeVisible();
  expect(asked).toEqual(['unfreeze']);
  await user.click(screen.getByRole('button', { name: 'Contact customer service' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toHaveTextContent(
    'Say that somebody else may use your account.',
  );
});
