import { screen, waitFor, within } from '@testing-library/react';
import { delay, HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { md5Hex } from '@/domain/pay/md5';
import { formatsFor } from '@/i18n/format';
import type { Property } from '@/lib/api/types';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { basicConfig } from '@/test/fixtures-platform';
import { destinations, walletAddress, withdrawal } from '@/test/fixtures-wallet';
import { server } from '@/test/server';

const WITHDRAW = '*/api/user/withdraw';
const LIST = '*/api/user/withdraw/list';

type App = ReturnType<typeof openApp>;

async function review(amount = '150'): Promise<App & { sheet: HTMLElement }> {
  const app = openApp('/wallet/withdraw');
  await app.user.type(await screen.findByLabelText('Amount'), amount);
  await app.user.click(screen.getByRole('button', { name: 'Review' }));
  return { ...app, sheet: await screen.findByRole('dialog', { name: 'Review your withdrawal' }) };
}

async function pay({ user, sheet }: { user: App['user']; sheet: HTMLElement }, tap = user.click) {
  await user.click(within(sheet).getByRole('button', { name: 'Withdraw' }));
  await user.type(within(sheet).getByLabelText('Enter your 6-digit transaction password'), '583920');
  await tap(within(sheet).getByRole('button', { name: 'OK' }));
}

test('a blocked withdrawal says what blocks it and what to do about each', async () => {
  server.use(
    http.get('*/api/user/property', () =>
      ok(
        fixtures.property({
          available_funds: '0.00',
          start_up_funds_outstanding: '500.00',
          start_up_funds_returnable: false,
          withdraw_blocked_by: [
            'INSUFFICIENT_BALANCE',
            'PAY_PASSWORD_NOT_SET',
            'START_UP_FUNDS_NOT_RETURNED',
            'BANK_CARD_NOT_BOUND',
          ],
        }),
      ),
    ),
  );
  const { user } = openApp('/wallet/withdraw');
  expect(await screen.findByText('Please set a transaction password first')).toBeVisible();
  const next = encodeURIComponent('/wallet/withdraw');
  expect(screen.getByRole('link', { name: 'Set password' })).toHaveAttribute(
    'href',
    `#/wallet/set-password?next=${next}`,
  );
  expect(screen.getByRole('link', { name: 'Bind' })).toHaveAttribute(
    'href',
    `#/wallet/bind-card?next=${next}`,
  );
  expect(screen.getByRole('button', { name: 'Deposit' })).toBeVisible();
  expect(screen.queryByLabelText('Amount')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Contact customer service' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toHaveTextContent(
    'Ask for the return of your start-up funds to be booked.',
  );
});

test('start-up funds that block a withdrawal are returned where it says so', async () => {
  const figures = fixtures.property({
    start_up_funds_outstanding: '500.00',
    withdraw_blocked_by: ['START_UP_FUNDS_NOT_RETURNED'],
  });
  const free = fixtures.property();
  server.use(
    http.get('*/api/user/property', () => ok(figures)),
    http.post('*/api/user/start_up_funds/return', () => {
      server.use(http.get('*/api/user/property', () => ok(free)));
      return ok(free);
    }),
  );
  const { user } = openApp('/wallet/withdraw');
  expect(await screen.findByText('They must be returned before you can withdraw or exchange.')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Return' }));
  const sheet = await screen.findByRole('dialog', { name: 'Start-up funds' });
  await user.click(within(sheet).getByRole('button', { name: 'Return' }));
  await user.click(within(sheet).getByRole('button', { name: 'Return' }));
  expect(await screen.findByLabelText('Amount')).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

const UNTIL = fixtures.at(19 * 3_600_000);

function coolingOff(...others: Property['withdraw_blocked_by']) {
  const waiting = fixtures.property({
    withdraw_blocked_by: [...others, 'WITHDRAWAL_COOLING_OFF'],
    withdrawal_available_at: UNTIL,
  });
  return http.get('*/api/user/property', () => ok(waiting));
}

test('while withdrawals cool off it says why and until when, and there is nothing to send', async () => {
  server.use(coolingOff());
  const { user } = openApp('/wallet/withdraw');
  const notice = await screen.findByRole('region', {
    name: `Withdrawals and exchanges are paused until ${formatsFor('en').dateTime(UNTIL)}`,
  });
  expect(notice).toHaveTextContent(
    'A password, the bank card or the wallet address of your account was set or changed.',
  );
  expect(screen.queryByLabelText('Amount')).not.toBeInTheDocument();
  expect(screen.queryByText('Before you can withdraw')).not.toBeInTheDocument();
  await user.click(within(notice).getByRole('button', { name: 'Contact customer service' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toHaveTextContent(
    'Say that it was not you who changed your account.',
  );
});

test('a stopped wallet says so and leads to where the stop is lifted', async () => {
  const frozen = fixtures.property({ frozen_at: UNTIL, withdraw_blocked_by: ['WALLET_FROZEN'] });
  server.use(http.get('*/api/user/property', () => ok(frozen)));
  openApp('/wallet/withdraw');
  const notice = await screen.findByRole('region', { name: 'Withdrawals and exchanges are stopped' });
  expect(within(notice).getByRole('link')).toHaveAttribute('href', '#/ad-center/security');
  expect(screen.queryByLabelText('Amount')).not.toBeInTheDocument();
  expect(screen.queryByText('Before you can withdraw')).not.toBeInTheDocument();
});

test('what else is missing can be set right meanwhile', async () => {
  server.use(coolingOff('PAY_PASSWORD_NOT_SET'));
  openApp('/wallet/withdraw');
  expect(await screen.findByRole('region', { name: /^Withdrawals and exchanges are paused/ })).toBeVisible();
  expect(screen.getByRole('link', { name: 'Set password' })).toBeVisible();
});

test('a refusal says how many hours it takes', async () => {
  server.use(
    http.post(WITHDRAW, () =>
      refusal(400, 'Withdrawals are paused', { reason: 'WITHDRAWAL_COOLING_OFF', retry_after: 68_400 }),
    ),
  );
  const app = await review();
  await pay(app);
  expect(await within(app.sheet).findByText('Withdrawals are paused. Try again in 19 hours.')).toBeVisible();
});

test('a change that came in between is said in the place of the form', async () => {
  server.use(
    http.post(WITHDRAW, () => {
      server.use(coolingOff());
      return refusal(400, 'Withdrawals are paused', {
        reason: 'WITHDRAWAL_COOLING_OFF',
        retry_after: 68_400,
      });
    }),
  );
  const app = await review();
  await pay(app);
  expect(await screen.findByRole('region', { name: /^Withdrawals and exchanges are paused/ })).toBeVisible();
  expect(screen.queryByLabelText('Amount')).not.toBeInTheDocument();
});

test('figures that cannot be loaded can be asked for again', async () => {
  server.use(http.get('*/api/bank_card/detail', () => refusal(500, 'Server error'), { once: true }));
  const { user } = openApp('/wallet/withdraw');
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByLabelText('Amount')).toBeVisible();
});

test('an amount that cannot be withdrawn is explained at its field', async () => {
  const { user } = openApp('/wallet/withdraw');
  const amount = await screen.findByLabelText('Amount');
  const submit = async (text: string) => {
    await user.clear(amount);
    if (text) await user.type(amount, text);
    await user.click(screen.getByRole('button', { name: 'Review' }));
  };
  await submit('');
  expect(amount).toHaveFocus();
  expect(amount).toHaveAccessibleDescription(/^Please enter an amount/);
  await submit('0');
  expect(amount).toHaveAccessibleDescription(/^The amount cannot be 0/);
  await submit('12300.51');
  expect(amount).toHaveAccessibleDescription(
    /^The amount cannot exceed your available funds. 0.01 is missing./,
  );
  await submit('9.99');
  expect(amount).toHaveAccessibleDescription(/^At least 10.00 with this method/);
  await submit('10000.01');
  expect(amount).toHaveAccessibleDescription(/^At most 10,000.00 with this method/);
});

test('how much may leave within a day is said beforehand, and what is used up at the amount', async () => {
  server.use(
    http.post(WITHDRAW, () =>
      refusal(400, 'The limit of a day is used up', {
        reason: 'DAY_LIMIT_REACHED',
        field: 'amount',
        retry_after: 18_000,
      }),
    ),
  );
  const app = await review();
  expect(screen.getByText('At most 50,000.00 within 24 hours, 20,000.00 per destination')).toBeVisible();
  await pay(app);
  const amount = await screen.findByLabelText('Amount');
  await waitFor(() =>
    expect(amount).toHaveAccessibleDescription(/^The limit of a day is used up. Try again in 5 hours./),
  );
  expect(amount).toHaveFocus();
});

test('all is not more than may leave at once', async () => {
  const leave_limits = { per_day: '900.00', per_destination: '300.00' };
  server.use(http.get('*/api/basic_config', () => ok(basicConfig({ leave_limits }))));
  const { user } = openApp('/wallet/withdraw');
  await user.click(await screen.findByRole('button', { name: 'Withdraw all' }));
  expect(screen.getByLabelText('Amount')).toHaveValue('300.00');
});

test('all means the method’s limit where that is less, and the fee is kept from the amount', async () => {
  const { user } = openApp('/wallet/withdraw');
  await user.click(await screen.findByRole('button', { name: 'Withdraw all' }));
  expect(screen.getByLabelText('Amount')).toHaveValue('10000.00');
  expect(screen.getByText('9,998.00')).toBeVisible();
});

test('a method without an account offers to bind one and to come back; both bound can be chosen', async () => {
  const { user, unmount } = openApp('/wallet/withdraw');
  await user.type(await screen.findByLabelText('Amount'), '150');
  await user.tab();
  expect(screen.getByRole('radio', { name: /^Wallet address/ })).toBeDisabled();
  await waitFor(() =>
    expect(screen.getByRole('link', { name: 'Bind: Wallet address' })).toHaveAttribute(
      'href',
      `#/wallet/bind-card?kind=wallet_address&next=${encodeURIComponent('/wallet/withdraw?amount=150')}`,
    ),
  );
  unmount();
  server.use(http.get('*/api/bank_card/detail', () => ok(destinations({ wallet_address: walletAddress }))));
  const second = openApp('/wallet/withdraw?amount=150');
  await second.user.click(await screen.findByRole('radio', { name: /^Wallet address/ }));
  expect(screen.getByText('149.00')).toBeVisible();
  await waitFor(() => expect(address()).toContain('method=wallet_address'));
});

test('a withdrawal is reviewed, paid with the password and sent once, and its result shown', async () => {
  const sent: { key: string | null; body: unknown }[] = [];
  server.use(
    http.post(WITHDRAW, async ({ request }) => {
      sent.push({ key: request.headers.get('Idempotency-Key'), body: await request.json() });
      await delay(50);
      return ok(withdrawal({ amount: '150.00', fee: '2.00' }));
    }),
  );
  const app = await review();
  expect(app.sheet).toHaveTextContent('You receive148.00 USD');
  expect(app.sheet).toHaveTextContent('Leaves your wallet150.00');
  expect(app.sheet).toHaveTextContent('ToNorth Sea Bank ****3000');
  expect(app.sheet).toHaveTextContent('Available after12,150.50');
  await pay(app, app.user.dblClick);
  expect(await screen.findByText('Withdrawal submitted')).toBeVisible();
  expect(screen.getByText('Submitted successfully')).toBeVisible();
  expect(screen.getByText('What happens next')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Copy number' })).toBeVisible();
  expect(address()).toBe('/wallet/withdraw?id=withdrawal-1');
  expect(sent).toEqual([
    {
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      body: { amount: '150.00', method: 'bank_card', password: md5Hex('583920') },
    },
  ]);
});

test('Enter in the amount opens the review, too', async () => {
  const { user } = openApp('/wallet/withdraw');
  await user.type(await screen.findByLabelText('Amount'), '150{Enter}');
  const sheet = await screen.findByRole('dialog', { name: 'Review your withdrawal' });
  await user.click(within(sheet).getByRole('button', { name: 'Withdraw' }));
  expect(within(sheet).getByLabelText('Enter your 6-digit transaction password')).toBeVisible();
});

test('a wrong password is said at its boxes and nothing is sent', async () => {
  let sent = 0;
  server.use(
    http.post('*/api/check/password', () =>
      refusal(400, 'Please enter the correct transaction password', { reason: 'WRONG_PAY_PASSWORD' }),
    ),
    http.post(WITHDRAW, () => {
      sent += 1;
      return ok(withdrawal());
    }),
  );
  const app = await review();
  await pay(app);
  const field = within(app.sheet).getByLabelText('Enter your 6-digit transaction password');
  await waitFor(() =>
    expect(field).toHaveAccessibleDescription('Please enter the correct transaction password'),
  );
  expect(field).toHaveValue('583920');
  expect(sent).toBe(0);
});

test('a refusal of the amount closes the sheet and is said at the amount', async () => {
  server.use(
    http.post(WITHDRAW, () =>
      refusal(400, 'Insufficient balance', {
        reason: 'INSUFFICIENT_BALANCE',
        field: 'amount',
        missing: '49.50',
      }),
    ),
  );
  const app = await review();
  await pay(app);
  const amount = await screen.findByLabelText('Amount');
  await waitFor(() => expect(amount).toHaveAccessibleDescription(/^Insufficient balance. 49.50 is missing./));
  expect(amount).toHaveValue('150');
  expect(amount).toHaveFocus();
  expect(app.sheet).not.toBeInTheDocument();
});

test('after a lost answer the next try is the same call', async () => {
  const keys: (string | null)[] = [];
  server.use(
    http.post(WITHDRAW, ({ request }) => {
      keys.push(request.headers.get('Idempotency-Key'));
      return keys.length === 1 ? HttpResponse.error() : ok(withdrawal());
    }),
  );
  const app = await review();
  await pay(app);
  expect(await within(app.sheet).findByText(/^No connection to the server/)).toBeVisible();
  await app.user.click(within(app.sheet).getByRole('button', { name: 'OK' }));
  expect(await screen.findByText('Withdrawal submitted')).toBeVisible();
  expect(keys[1]).toBe(keys[0]);
});

test('the records tell each status, and why one was rejected', async () => {
  const { user } = openApp('/wallet/withdraw');
  await user.click(await screen.findByRole('tab', { name: 'Records' }));
  expect(await screen.findByText('The address does not belong to this network')).toBeVisible();
  expect(screen.getByText('Pending')).toBeVisible();
  expect(screen.getByText('Paid')).toBeVisible();
  expect(address()).toBe('/wallet/withdraw?view=records');
  await user.click(screen.getByRole('link', { name: /Rejected/ }));
  expect(await screen.findByText('Withdrawal rejected')).toBeVisible();
  expect(screen.getByText('The whole amount is back in your available funds.')).toBeVisible();
});

test('further records are added; none says what will be here; a failed list can be asked again', async () => {
  server.use(
    http.get(LIST, ({ request }) => {
      const cursor = new URL(request.url).searchParams.get('cursor');
      const items = [withdrawal({ id: cursor ?? 'first', reason: cursor ?? 'first' })];
      return ok({ items, next_cursor: cursor ? null : 'second' });
    }),
  );
  const { user, unmount } = openApp('/wallet/withdraw?view=records');
  await user.click(await screen.findByRole('button', { name: 'Load more' }));
  expect(await screen.findByText('second')).toBeVisible();
  unmount();
  server.use(http.get(LIST, () => ok({ items: [], next_cursor: null })));
  const empty = openApp('/wallet/withdraw?view=records');
  expect(await screen.findByText('No withdrawals yet')).toBeVisible();
  empty.unmount();
  server.use(http.get(LIST, () => refusal(500, 'Server error')));
  openApp('/wallet/withdraw?view=records');
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeVisible();
});

test('a withdrawal that does not exist says so', async () => {
  openApp('/wallet/withdraw?id=nope');
  expect(await screen.findByText('This withdrawal does not exist')).toBeVisible();
});

const CANCEL = '*/api/user/withdraw/cancel';

test('a pending withdrawal is cancelled once after a question, and records say so', async () => {
  const sent: unknown[] = [];
  const items = [withdrawal(), withdrawal({ id: 'withdrawal-2', status: 'paid' })];
  server.use(
    http.get(LIST, () => ok({ items, next_cursor: null })),
    http.post(CANCEL, async ({ request }) => {
      sent.push(await request.json());
      await delay(50);
      items[0] = withdrawal({ status: 'cancelled', decided_at: fixtures.at(0) });
      return ok(items[0]);
    }),
  );
  const { user } = openApp('/wallet/withdraw?id=withdrawal-1');
  await user.click(await screen.findByRole('button', { name: 'Cancel withdrawal' }));
  const dialog = await screen.findByRole('dialog', { name: 'Cancel this withdrawal?' });
  expect(dialog).toHaveTextContent('150.00 USD come back to your available funds at once.');
  await user.dblClick(within(dialog).getByRole('button', { name: 'Cancel withdrawal' }));
  await waitFor(() => expect(dialog).not.toBeInTheDocument());
  expect(sent).toEqual([{ id: 'withdrawal-1' }]);
  expect(await screen.findByRole('heading', { name: 'Withdrawal cancelled' })).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Cancel withdrawal' })).toBeNull();
  await user.click(screen.getByRole('link', { name: 'See all withdrawals' }));
  expect(await screen.findByText('Cancelled')).toBeVisible();
});

test('a cancellation that comes too late says so, and what was decided is shown', async () => {
  const items = [withdrawal()];
  server.use(
    http.get(LIST, () => ok({ items, next_cursor: null })),
    http.post(CANCEL, () => {
      items[0] = withdrawal({ status: 'paid', decided_at: fixtures.at(0) });
      return refusal(400, 'Nothing has changed', { reason: 'NOTHING_CHANGED' });
    }),
  );
  const { user } = openApp('/wallet/withdraw?id=withdrawal-1');
  await user.click(await screen.findByRole('button', { name: 'Cancel withdrawal' }));
  const dialog = await screen.findByRole('dialog', { name: 'Cancel this withdrawal?' });
  await user.click(within(dialog).getByRole('button', { name: 'Cancel withdrawal' }));
  expect(await within(dialog).findByText('Nothing has changed')).toBeVisible();
  await user.click(within(dialog).getByRole('button', { name: 'Keep it' }));
  expect(await screen.findByText('Withdrawal paid')).toBeVisible();
});

test('only a pending withdrawal can be cancelled', async () => {
  openApp('/wallet/withdraw?id=withdrawal-2');
  expect(await screen.findByText('Withdrawal paid')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Cancel withdrawal' })).toBeNull();
});
