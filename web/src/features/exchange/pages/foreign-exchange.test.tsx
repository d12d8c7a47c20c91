import { act, screen, waitFor, within } from '@testing-library/react';
import { delay, HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { formatsFor } from '@/i18n/format';
import type { Property } from '@/lib/api/types';
import { ok, page, refusal } from '@/test/answers';
import { address, comeBack, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { acceptorDetail, exchangeOrder, exchangeOrders, fromNow } from '@/test/fixtures-exchange';
import { server } from '@/test/server';

const PATH = '/wallet/foreign-exchange';
const LIST = '*/api/acceptor/order/list';
const DETAIL = '*/api/acceptor/detail';
const CREATE = '*/api/acceptor/order/create';
const CANCEL = '*/api/acceptor/order/cancel';
const HOUR = 3_600_000;

function withPassword(has = true) {
  server.use(http.get('*/api/user/info', () => ok(fixtures.userInfo({ has_pay_password: has }))));
}

async function findAcceptor(code = 'demo-personal') {
  const app = openApp(PATH);
  await screen.findByText('12,300.50');
  await app.user.type(await screen.findByLabelText('Acceptance code'), code);
  await app.user.click(screen.getByRole('button', { name: 'Find acceptor' }));
  return app;
}

async function review(amount = '250') {
  withPassword();
  const app = await findAcceptor();
  await app.user.type(await screen.findByLabelText('Amount to exchange'), amount);
  await app.user.click(screen.getByRole('button', { name: 'Review' }));
  return app;
}

async function enterPassword({ user }: Awaited<ReturnType<typeof review>>) {
  await user.click(
    within(await screen.findByRole('dialog', { name: 'Review your exchange' })).getByRole('button', {
      name: 'Exchange',
    }),
  );
  const sheet = await screen.findByRole('dialog', { name: 'Transaction password' });
  await user.type(within(sheet).getByLabelText(/6-digit/), '246810');
  return sheet;
}

test('the kind of acceptor is a tab in the address, and records show what became of them', async () => {
  const { user } = openApp(PATH);
  expect(await screen.findByRole('tab', { name: 'Personal' })).toHaveAttribute('aria-selected', 'true');
  await user.click(screen.getByRole('tab', { name: 'Enterprise' }));
  expect(address()).toBe(`${PATH}?kind=enterprise`);
  const records = await screen.findByRole('region', { name: 'Transaction records' });
  expect(await within(records).findAllByRole('listitem')).toHaveLength(3);
  expect(within(records).getByText('12,319')).toBeVisible();
  await user.click(within(records).getByRole('button', { name: /Meridian/ }));
  const sheet = await screen.findByRole('dialog', { name: 'Exchange' });
  expect(sheet).toHaveTextContent('The bank was closed.');
  expect(sheet).toHaveTextContent('1 USD = 0.7812 GBP');
  await user.click(within(sheet).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(sheet).not.toBeInTheDocument());
});

test('no records say what to do next, failed ones can be asked for again, more are added', async () => {
  let answer = () => refusal(500, 'Server error');
  server.use(http.get(LIST, () => answer()));
  const { user } = openApp(PATH);
  const retry = await screen.findByRole('button', { name: 'Try again' });
  answer = () => ok(page([]));
  await user.click(retry);
  expect(await screen.findByText('No exchanges yet')).toBeVisible();
});

test('a further page of records is added', async () => {
  server.use(
    http.get(LIST, ({ request }) => {
      const isSecond = new URL(request.url).searchParams.get('cursor') === 'second';
      const items = isSecond ? exchangeOrders.slice(2) : exchangeOrders.slice(0, 2);
      return ok({ items, next_cursor: isSecond ? null : 'second' });
    }),
  );
  const { user } = openApp(PATH);
  await user.click(await screen.findByRole('button', { name: 'Load more' }));
  expect(await screen.findByText('12,319')).toBeVisible();
});

test('a wrong code is said at its field and stays there to be corrected', async () => {
  const { user } = await findAcceptor('nope-1234');
  const code = screen.getByLabelText('Acceptance code');
  await waitFor(() => expect(code).toHaveAccessibleDescription(/^Acceptance code error, please re-enter/));
  expect(code).toHaveFocus();
  expect(code).toHaveValue('nope-1234');
  await user.click(screen.getByRole('tab', { name: 'Enterprise' }));
  expect(screen.getByLabelText('Acceptance code')).not.toHaveAttribute('aria-invalid');
  await user.clear(screen.getByLabelText('Acceptance code'));
  await user.click(screen.getByRole('button', { name: 'Find acceptor' }));
  expect(screen.getByText('Please enter the acceptance code')).toBeVisible();
});

test('too many wrong codes say how long to wait, a lost answer is said above the button', async () => {
  let answer: () => Response = () =>
    refusal(429, 'Too many attempts', { reason: 'TOO_MANY_ATTEMPTS', field: 'code', retry_after: 300 });
  server.use(http.post(DETAIL, () => answer()));
  const { user } = await findAcceptor();
  expect(await screen.findByText('Too many attempts. Try again in 5 minutes.')).toBeVisible();
  answer = () => HttpResponse.error();
  await user.click(screen.getByRole('button', { name: 'Find acceptor' }));
  expect(await screen.findByRole('alert')).toHaveTextContent(/^No connection to the server/);
});

test('the offer shows its acceptor and works out the other side to the last digit', async () => {
  withPassword();
  const { user } = await findAcceptor();
  expect(await screen.findByRole('heading', { name: 'Lena Hoffmann' })).toBeVisible();
  expect(screen.getByText('128 exchanges completed')).toBeVisible();
  expect(screen.getByText('Rated 4.7 out of 5')).toBeInTheDocument();
  expect(screen.getByRole('timer')).toHaveTextContent(/^in 05:59:\d\d$/);
  const preview = screen.getByRole('status', { name: 'What you get for it' });
  await user.type(screen.getByLabelText('Amount to exchange'), '250.01');
  expect(preview).toHaveTextContent('You give250.01 USD');
  expect(preview).toHaveTextContent('You get229.63 EUR');
  await user.click(screen.getByRole('button', { name: 'Use another code' }));
  expect(screen.getByLabelText('Acceptance code')).toBeVisible();
});

test('an acceptor with few exchanges has no stars yet', async () => {
  withPassword();
  const { acceptor } = acceptorDetail();
  server.use(http.post(DETAIL, () => ok(acceptorDetail({ acceptor: { ...acceptor, completed_orders: 9 } }))));
  await findAcceptor();
  expect(await screen.findByText('9 exchanges completed')).toBeVisible();
  expect(screen.queryByText(/^Rated/)).toBeNull();
});

test('an ended order whose late payment lacked money says what to do', async () => {
  const [, late, ...others] = exchangeOrders;
  if (!late) throw new Error('no fixture');
  const orders = [{ ...late, status: 'expired', reason: null, missing: '100.00' }, ...others];
  server.use(http.get(LIST, () => ok(page(orders))));
  const { user } = openApp(PATH);
  await user.click(await screen.findByRole('button', { name: /Meridian.*100.00 USD is missing/ }));
  const sheet = await screen.findByRole('dialog', { name: 'Exchange' });
  expect(sheet).toHaveTextContent('100.00 USD is missing: deposit it and tell customer service');
  await user.click(within(sheet).getByRole('button', { name: 'Deposit' }));
  const deposit = await screen.findByRole('dialog', { name: 'Deposit' });
  await user.click(within(deposit).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(deposit).not.toBeInTheDocument());
  await user.click(within(sheet).getByRole('button', { name: 'Contact customer service' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toHaveTextContent(
    'Name the exchange that is to be completed: exchange-2',
  );
});

test('an address names an order, whose details open and close there', async () => {
  const { user } = openApp(`${PATH}?order=exchange-2`);
  const sheet = await screen.findByRole('dialog', { name: 'Exchange' });
  expect(sheet).toHaveTextContent('Meridian Exchange Ltd · Enterprise');
  expect(sheet).toHaveTextContent('1 USD = 0.7812 GBP');
  expect(sheet).toHaveTextContent('The bank was closed.');
  await user.click(within(sheet).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(sheet).not.toBeInTheDocument());
  expect(address()).toBe(PATH);
});

test('an amount beyond the limits or the balance is explained at its field', async () => {
  const { user } = await review('20');
  const amount = screen.getByLabelText('Amount to exchange');
  const expectError = async (typed: string, text: RegExp) => {
    await user.clear(amount);
    await user.type(amount, typed);
    await user.click(screen.getByRole('button', { name: 'Review' }));
    expect(amount).toHaveAccessibleDescription(text);
    expect(amount).toHaveFocus();
  };
  await expectError('49.99', /^At least 50.00/);
  await expectError('2000.01', /^At most 2,000.00/);
  await expectError('1e3', /^Please enter a correct amount/);
});

test('more than there is in the wallet cannot be given, but received', async () => {
  withPassword();
  server.use(http.get('*/api/user/property', () => ok(fixtures.property({ available_funds: '100.00' }))));
  const detail = acceptorDetail();
  server.use(http.post(DETAIL, () => ok(detail)));
  const { user } = openApp(PATH);
  await user.type(await screen.findByLabelText('Acceptance code'), 'any-code');
  await user.click(screen.getByRole('button', { name: 'Find acceptor' }));
  await user.type(await screen.findByLabelText('Amount to exchange'), '100.01');
  await user.click(screen.getByRole('button', { name: 'Review' }));
  expect(screen.getByText('Insufficient balance. 0.01 is missing.')).toBeVisible();

  detail.offer.direction = 'currency_to_wallet';
  await user.click(screen.getByRole('button', { name: 'Use another code' }));
  await user.type(screen.getByLabelText('Acceptance code'), 'other-code');
  await user.click(screen.getByRole('button', { name: 'Find acceptor' }));
  await user.type(await screen.findByLabelText('Amount to receive'), '200');
  await user.click(screen.getByRole('button', { name: 'Review' }));
  const sheet = await screen.findByRole('dialog', { name: 'Review your exchange' });
  expect(sheet).toHaveTextContent('You give183.70 EUR');
  expect(sheet).toHaveTextContent('Available once completed300.00');
  expect(sheet).toHaveTextContent('Paid fromYour own account, straight to the acceptor');
  await user.click(within(sheet).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(sheet).not.toBeInTheDocument());
});

test('an offer that has ended asks for a new code', async () => {
  withPassword();
  const { offer } = acceptorDetail();
  server.use(
    http.post(DETAIL, () => ok(acceptorDetail({ offer: { ...offer, expires_at: fromNow(-1000) } }))),
  );
  const { user } = await findAcceptor();
  expect(await screen.findByText(/^This offer has ended/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Review' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Use another code' }));
  expect(screen.getByLabelText('Acceptance code')).toBeVisible();
});

test('without a transaction password the way to one is shown, and what was typed waits', async () => {
  withPassword(false);
  const { user } = await findAcceptor();
  await user.type(await screen.findByLabelText('Amount to exchange'), '250');
  const link = screen.getByRole('link', { name: 'Set transaction password' });
  expect(screen.getByText('Please set a transaction password first')).toBeVisible();
  expect(link).toHaveAttribute('href', `#/wallet/set-password?next=${PATH}`);
  await user.click(link);
  await waitFor(() => expect(address()).toContain('/wallet/set-password'));
  act(() => window.history.back());
  expect(await screen.findByLabelText('Amount to exchange')).toHaveValue('250');
});

const UNTIL = fromNow(19 * HOUR);

function withProperty(over: Partial<Property>) {
  withPassword();
  server.use(http.get('*/api/user/property', () => ok(fixtures.property(over))));
}

const coolingOff = () =>
  withProperty({ withdraw_blocked_by: ['WITHDRAWAL_COOLING_OFF'], withdrawal_available_at: UNTIL });

test('while nothing may leave it says why and until when, before anything is typed', async () => {
  coolingOff();
  const { user } = await findAcceptor();
  const notice = await screen.findByRole('region', {
    name: `Withdrawals and exchanges are paused until ${formatsFor('en').dateTime(UNTIL)}`,
  });
  expect(notice).toHaveTextContent('A password, the bank card or the wallet address');
  expect(screen.getByRole('heading', { name: 'Lena Hoffmann' })).toBeVisible();
  expect(screen.queryByLabelText('Amount to exchange')).not.toBeInTheDocument();
  expect(screen.queryByText('Before you can exchange')).not.toBeInTheDocument();
  await user.click(within(notice).getByRole('button', { name: 'Contact customer service' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toHaveTextContent(
    'Say that it was not you who changed your account.',
  );
});

test('what must be done first is listed with the way to it, and nothing that only withdrawals need', async () => {
  withProperty({
    start_up_funds_outstanding: '500.00',
    start_up_funds_returnable: false,
    withdraw_blocked_by: [
      'INSUFFICIENT_BALANCE',
      'PAY_PASSWORD_NOT_SET',
      'START_UP_FUNDS_NOT_RETURNED',
      'BANK_CARD_NOT_BOUND',
    ],
  });
  const { user } = await findAcceptor();
  const notice = await screen.findByRole('region', { name: 'Before you can exchange' });
  expect(notice).toHaveTextContent('Start-up funds 500.00 USD');
  expect(notice).toHaveTextContent('They must be returned before you can withdraw or exchange.');
  expect(within(notice).getAllByRole('listitem')).toHaveLength(2);
  expect(within(notice).getByRole('link', { name: 'Set password' })).toHaveAttribute(
    'href',
    `#/wallet/set-password?next=${encodeURIComponent(PATH)}`,
  );
  expect(screen.queryByLabelText('Amount to exchange')).not.toBeInTheDocument();
  await user.click(within(notice).getByRole('button', { name: 'Contact customer service' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toHaveTextContent(
    'Ask for the return of your start-up funds to be booked.',
  );
});

test('what only a withdrawal needs does not keep anybody from an exchange', async () => {
  withProperty({ withdraw_blocked_by: ['BANK_CARD_NOT_BOUND'] });
  await findAcceptor();
  expect(await screen.findByLabelText('Amount to exchange')).toBeVisible();
});

test('money that comes in is never blocked', async () => {
  coolingOff();
  const { offer } = acceptorDetail();
  const incoming = acceptorDetail({ offer: { ...offer, direction: 'currency_to_wallet' } });
  server.use(http.post(DETAIL, () => ok(incoming)));
  await findAcceptor();
  expect(await screen.findByLabelText('Amount to receive')).toBeVisible();
  expect(screen.queryByText(/^Withdrawals and exchanges are paused/)).not.toBeInTheDocument();
  expect(screen.queryByText(/^At most 50,000/)).not.toBeInTheDocument();
});

test('a block that came in between closes the review and is shown in the place of the form', async () => {
  server.use(
    http.post(CREATE, () => {
      coolingOff();
      return refusal(400, 'Withdrawals and exchanges are paused', {
        reason: 'WITHDRAWAL_COOLING_OFF',
        retry_after: 68_400,
      });
    }),
  );
  const app = await review();
  const sheet = await enterPassword(app);
  await app.user.click(within(sheet).getByRole('button', { name: 'OK' }));
  expect(
    await screen.findByRole('region', { name: /^Withdrawals and exchanges are paused until/ }),
  ).toBeVisible();
  await waitFor(() => expect(sheet).not.toBeInTheDocument());
  expect(screen.queryByLabelText('Amount to exchange')).not.toBeInTheDocument();
});

test('the form comes back when the time is over', async () => {
  coolingOff();
  await findAcceptor();
  expect(await screen.findByRole('region', { name: /^Withdrawals and exchanges/ })).toBeVisible();
  server.use(http.get('*/api/user/property', () => ok(fixtures.property())));
  comeBack();
  expect(await screen.findByLabelText('Amount to exchange')).toBeVisible();
});

test('how much may leave within a day is said beforehand, and what is used up at the amount', async () => {
  server.use(
    http.post(CREATE, () =>
      refusal(400, 'The limit of a day is used up', {
        reason: 'DAY_LIMIT_REACHED',
        field: 'amount',
        retry_after: 18_000,
      }),
    ),
  );
  const app = await review();
  expect(screen.getByText('At most 50,000.00 within 24 hours, 20,000.00 per destination')).toBeVisible();
  const sheet = await enterPassword(app);
  await app.user.click(within(sheet).getByRole('button', { name: 'OK' }));
  const amount = screen.getByLabelText('Amount to exchange');
  await waitFor(() =>
    expect(amount).toHaveAccessibleDescription('The limit of a day is used up. Try again in 5 hours.'),
  );
  expect(amount).toHaveValue('250');
});

test('an exchange is reviewed, paid for with the password and placed once', async () => {
  const sent: { key: string | null; body: unknown }[] = [];
  const orders = [...exchangeOrders];
  server.use(
    http.get(LIST, () => ok(page(orders))),
    http.post(CREATE, async ({ request }) => {
      sent.push({ key: request.headers.get('Idempotency-Key'), body: await request.json() });
      await delay(50);
      orders.unshift(exchangeOrder());
      return ok(orders[0]);
    }),
  );
  const app = await review();
  const sheet = await screen.findByRole('dialog', { name: 'Review your exchange' });
  expect(sheet).toHaveTextContent('You give250.00 USD');
  expect(sheet).toHaveTextContent('You get229.62 EUR');
  expect(sheet).toHaveTextContent('Rate1 USD = 0.9185 EUR');
  expect(sheet).toHaveTextContent('AcceptorLena Hoffmann');
  expect(sheet).toHaveTextContent('FeeNo fee');
  expect(sheet).toHaveTextContent('Paid fromYour wallet’s available funds');
  expect(sheet).toHaveTextContent(/Offer endsin 05:59:\d\d/);
  expect(sheet).toHaveTextContent('Available after12,050.50');
  const password = await enterPassword(app);
  await app.user.dblClick(within(password).getByRole('button', { name: 'OK' }));
  const current = await screen.findByRole('region', { name: 'Current exchange' });
  expect(within(current).getByText('Pending')).toBeVisible();
  expect(current).toHaveTextContent('Lena Hoffmann now pays you');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(await screen.findByText('Submitted successfully')).toBeInTheDocument();
  expect(sent).toEqual([
    {
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      body: {
        kind: 'personal',
        code: 'DEMO-PERSONAL',
        amount: '250.00',
        password: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    },
  ]);
});

test('after a lost answer the next try is the same call; a locked password says how long', async () => {
  const keys: (string | null)[] = [];
  server.use(
    http.post(CREATE, ({ request }) => {
      keys.push(request.headers.get('Idempotency-Key'));
      return HttpResponse.error();
    }),
  );
  const app = await review();
  const sheet = await enterPassword(app);
  const confirm = within(sheet).getByRole('button', { name: 'OK' });
  await app.user.click(confirm);
  expect(await within(sheet).findByText(/^No connection to the server/)).toBeVisible();
  await app.user.click(confirm);
  await waitFor(() => expect(keys).toHaveLength(2));
  expect(keys[1]).toBe(keys[0]);
  server.use(
    http.post('*/api/check/password', () =>
      refusal(429, 'Transaction password locked', { reason: 'PAY_PASSWORD_LOCKED', retry_after: 600 }),
    ),
  );
  await waitFor(() => expect(confirm).toBeEnabled());
  await app.user.click(confirm);
  expect(
    await within(sheet).findByText('Transaction password locked. Try again in 10 minutes.'),
  ).toBeVisible();
});

test('what the server finds wrong with the amount or the code is said at its field', async () => {
  let answer = () =>
    refusal(400, 'The exchange limit does not allow this', { reason: 'EXCHANGE_LIMIT', field: 'amount' });
  server.use(http.post(CREATE, () => answer()));
  const app = await review();
  const sheet = await enterPassword(app);
  await app.user.click(within(sheet).getByRole('button', { name: 'OK' }));
  await waitFor(() => expect(sheet).not.toBeInTheDocument());
  const amount = screen.getByLabelText('Amount to exchange');
  await waitFor(() => expect(amount).toHaveAccessibleDescription(/^The exchange limit/));
  expect(amount).toHaveValue('250');

  answer = () =>
    refusal(400, 'Acceptance code error, please re-enter', {
      reason: 'ACCEPTANCE_CODE_ERROR',
      field: 'code',
    });
  await app.user.click(screen.getByRole('button', { name: 'Review' }));
  const again = await enterPassword(app);
  await app.user.click(within(again).getByRole('button', { name: 'OK' }));
  const code = await screen.findByLabelText('Acceptance code');
  expect(code).toHaveValue('DEMO-PERSONAL');
  expect(code).toHaveAccessibleDescription(/^Acceptance code error, please re-enter/);
});

test('an exchange that was opened elsewhere meanwhile is shown in place of the review', async () => {
  const orders = [...exchangeOrders];
  server.use(
    http.get(LIST, () => ok(page(orders))),
    http.post(CREATE, () => {
      orders.unshift(exchangeOrder());
      return refusal(400, 'Another exchange is still open', { reason: 'EXCHANGE_OPEN' });
    }),
  );
  const app = await review();
  const sheet = await enterPassword(app);
  await app.user.click(within(sheet).getByRole('button', { name: 'OK' }));
  await waitFor(() => expect(sheet).not.toBeInTheDocument());
  expect(screen.getByText(/^Another exchange is still open/)).toBeVisible();
  expect(screen.getByRole('region', { name: 'Current exchange' })).toBeVisible();
});

test('an open exchange blocks another one, and is cancelled once after a confirmation', async () => {
  withPassword();
  const orders = [exchangeOrder()];
  const sent: unknown[] = [];
  server.use(
    http.get(LIST, () => ok(page(orders))),
    http.post(CANCEL, async ({ request }) => {
      sent.push(await request.json());
      await delay(50);
      orders[0] = exchangeOrder({ status: 'cancelled' });
      return ok(orders[0]);
    }),
  );
  const { user } = await findAcceptor();
  expect(await screen.findByText(/^Another exchange is still open/)).toBeVisible();
  const current = screen.getByRole('region', { name: 'Current exchange' });
  await user.click(within(current).getByRole('button', { name: 'Cancel exchange' }));
  const dialog = await screen.findByRole('dialog', { name: 'Cancel this exchange?' });
  expect(dialog).toHaveTextContent('250.00 USD come back to your wallet at once.');
  await user.dblClick(within(dialog).getByRole('button', { name: 'Cancel exchange' }));
  await waitFor(() => expect(current).not.toBeInTheDocument());
  expect(sent).toEqual([{ id: exchangeOrder().id }]);
  expect(await screen.findByLabelText('Amount to exchange')).toBeVisible();
});

test('a cancelled exchange is told as such even where its stream was faster than the answer', async () => {
  withPassword();
  const orders = [exchangeOrder()];
  server.use(
    http.get(LIST, () => ok(page(orders))),
    http.post(CANCEL, async () => {
      orders[0] = exchangeOrder({ status: 'cancelled' });
      comeBack();
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
      return ok(orders[0]);
    }),
  );
  const { user } = openApp(PATH);
  await user.click(await screen.findByRole('button', { name: 'Cancel exchange' }));
  const dialog = await screen.findByRole('dialog', { name: 'Cancel this exchange?' });
  await user.click(within(dialog).getByRole('button', { name: 'Cancel exchange' }));
  expect(await screen.findByText('Exchange cancelled')).toBeVisible();
});

test('a cancellation that comes too late says so', async () => {
  withPassword();
  server.use(
    http.get(LIST, () => ok(page([exchangeOrder({ expire_time: fromNow(HOUR) })]))),
    http.post(CANCEL, () => refusal(400, 'Nothing has changed', { reason: 'NOTHING_CHANGED' })),
  );
  const { user } = openApp(PATH);
  await user.click(await screen.findByRole('button', { name: 'Cancel exchange' }));
  const dialog = await screen.findByRole('dialog', { name: 'Cancel this exchange?' });
  await user.click(within(dialog).getByRole('button', { name: 'Cancel exchange' }));
  expect(await within(dialog).findByText('Nothing has changed')).toBeVisible();
});

test('customer service is asked for codes', async () => {
  const { user } = openApp(PATH);
  await user.click(await screen.findByRole('button', { name: 'Ask customer service' }));
  const dialog = await screen.findByRole('dialog');
  expect(dialog).toHaveTextContent('Ask for an acceptance code for foreign exchange.');
});
