import { screen, waitFor, within } from '@testing-library/react';
import { delay, http } from 'msw';
import { expect, test } from 'vitest';
import { subtract } from '@/lib/money';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { server } from '@/test/server';

const RETURN = '*/api/user/start_up_funds/return';

test('the wallet shows its figures and leads to what they are made of', async () => {
  const { user } = openApp('/wallet');
  expect(await screen.findByText('18,450.75')).toBeVisible();
  expect(screen.getByText('12,300.50')).toBeVisible();
  expect(screen.getByRole('link', { name: 'To be settled' })).toHaveAttribute(
    'href',
    '#/plan?figure=to_be_settled',
  );
  expect(screen.getByRole('link', { name: 'Available funds' })).toHaveAttribute(
    'href',
    '#/wallet/fund-details',
  );
  const actions = screen.getByRole('navigation', { name: 'Wallet actions' });
  expect(within(actions).getAllByRole('link')).toHaveLength(6);
  await user.click(screen.getByRole('button', { name: 'Deposit' }));
  const sheet = await screen.findByRole('dialog', { name: 'Deposit' });
  expect(await within(sheet).findByText('demo')).toBeVisible();
  await user.click(within(sheet).getByRole('button', { name: 'Contact customer service' }));
  const service = await screen.findByRole('dialog', { name: 'Deposit service' });
  expect(service).toHaveTextContent('Name your username when you ask for a deposit: demo');
});

test('a part of the assets leads to the plans that it counts, from there to its movements, and back', async () => {
  const { user } = openApp('/wallet');
  await user.click(await screen.findByRole('link', { name: 'To be consumed' }));
  expect(await screen.findByText('To be consumed: 2,259.70')).toBeVisible();
  expect(address()).toBe('/plan?figure=to_be_consumed');
  await user.click(screen.getByRole('link', { name: 'Fund details' }));
  expect(await screen.findByRole('button', { name: /^Spent on ads/ })).toBeVisible();
  expect(address()).toBe('/wallet/fund-details?account=to_be_consumed');
  for (const page of ['Plans', 'Wallet']) {
    await user.click(screen.getByRole('button', { name: 'Back' }));
    expect(await screen.findByRole('heading', { level: 1, name: page })).toBeVisible();
  }
});

test.each([
  [false, '#/wallet/set-password'],
  [true, '#/ad-center/edit-pay-password'],
])('the transaction password, set or not (%s), leads to its page', async (isSet, href) => {
  server.use(http.get('*/api/user/info', () => ok(fixtures.userInfo({ has_pay_password: isSet }))));
  openApp('/wallet');
  const link = await screen.findByRole('link', { name: 'Transaction password' });
  await waitFor(() => expect(link).toHaveAttribute('href', href));
});

test('start-up funds that staff must book are explained, with who arranges their return', async () => {
  server.use(
    http.get('*/api/user/property', () =>
      ok(fixtures.property({ start_up_funds_outstanding: '500.00', start_up_funds_returnable: false })),
    ),
  );
  const { user } = openApp('/wallet');
  expect(await screen.findByText('Lent to you')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Arrange the return' }));
  const sheet = await screen.findByRole('dialog', { name: 'Start-up funds' });
  expect(sheet).toHaveTextContent('500.00 USD');
  expect(within(sheet).queryByLabelText('Amount to return')).toBeNull();
  await user.click(within(sheet).getByRole('button', { name: 'Arrange the return' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toHaveTextContent(
    'Ask for the return of your start-up funds to be booked.',
  );
});

/** A wallet with lent money; the server takes what is returned. */
function lend(outstanding: string, available_funds = '300.00') {
  const figures = { start_up_funds_outstanding: outstanding, available_funds };
  const sent: { key: string | null; body: unknown }[] = [];
  server.use(
    http.get('*/api/user/property', () => ok(fixtures.property(figures))),
    http.post(RETURN, async ({ request }) => {
      const body = (await request.json()) as { amount: string };
      sent.push({ key: request.headers.get('Idempotency-Key'), body });
      await delay(50);
      figures.start_up_funds_outstanding = subtract(figures.start_up_funds_outstanding, body.amount);
      return ok(fixtures.property(figures));
    }),
  );
  return sent;
}

test('start-up funds are returned at once after a question, as far as the money is there', async () => {
  const sent = lend('500.00');
  const { user } = openApp('/wallet');
  await user.click(await screen.findByRole('button', { name: 'Return' }));
  const sheet = await screen.findByRole('dialog', { name: 'Start-up funds' });
  const amount = within(sheet).getByLabelText('Amount to return');
  expect(amount).toHaveValue('300.00');
  const submit = async (typed: string) => {
    await user.clear(amount);
    if (typed) await user.type(amount, typed);
    await user.click(within(sheet).getByRole('button', { name: 'Return' }));
  };
  await submit('');
  expect(amount).toHaveAccessibleDescription(/^Please enter a correct amount/);
  expect(amount).toHaveFocus();
  await submit('300.01');
  expect(amount).toHaveAccessibleDescription(/^At most 300.00/);
  await submit('120,50');
  expect(sheet).toHaveTextContent('120.50 USD leave your available funds at once.');
  expect(sent).toEqual([]);
  const confirm = within(sheet).getByRole('button', { name: 'Return' });
  expect(confirm).toHaveFocus();
  await user.dblClick(confirm);
  expect(await screen.findByText('Start-up funds returned')).toBeVisible();
  await waitFor(() => expect(sheet).not.toBeInTheDocument());
  expect(sent).toEqual([{ key: expect.stringMatching(/^[0-9a-f]{32}$/), body: { amount: '120.50' } }]);
  expect(await screen.findByText('379.50')).toBeVisible();
});

test('the last of the start-up funds goes with its line', async () => {
  lend('200.00');
  const { user } = openApp('/wallet');
  await user.click(await screen.findByRole('button', { name: 'Return' }));
  const sheet = await screen.findByRole('dialog', { name: 'Start-up funds' });
  expect(within(sheet).getByLabelText('Amount to return')).toHaveValue('200.00');
  await user.click(within(sheet).getByRole('button', { name: 'Return' }));
  await user.click(within(sheet).getByRole('button', { name: 'Return' }));
  await waitFor(() => expect(screen.queryByText('Lent to you')).toBeNull());
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('a refused return is said at its amount', async () => {
  lend('500.00');
  server.use(http.post(RETURN, () => refusal(400, 'Insufficient balance', { field: 'amount' })));
  const { user } = openApp('/wallet');
  await user.click(await screen.findByRole('button', { name: 'Return' }));
  const sheet = await screen.findByRole('dialog', { name: 'Start-up funds' });
  await user.click(within(sheet).getByRole('button', { name: 'Return' }));
  await user.click(within(sheet).getByRole('button', { name: 'Return' }));
  const amount = await within(sheet).findByLabelText('Amount to return');
  expect(amount).toHaveAccessibleDescription(/^Insufficient balance/);
  expect(amount).toHaveFocus();
});

test('without available funds there is nothing to return them from', async () => {
  lend('500.00', '0.00');
  const { user } = openApp('/wallet');
  await user.click(await screen.findByRole('button', { name: 'Return' }));
  expect(await screen.findByRole('dialog', { name: 'Start-up funds' })).toHaveTextContent(
    'Nothing is available to return them from at the moment.',
  );
});

test('a guarantee has a line that leads to its movements, and without one there is none', async () => {
  server.use(http.get('*/api/user/property', () => ok(fixtures.property({ guarantee: '250.00' }))));
  const first = openApp('/wallet');
  const link = await screen.findByRole('link', { name: 'Guarantee' });
  expect(link).toHaveAttribute('href', '#/wallet/fund-details?type=guarantee');
  expect(screen.getByText('250.00')).toBeVisible();
  first.unmount();
  server.use(http.get('*/api/user/property', () => ok(fixtures.property())));
  openApp('/wallet');
  await screen.findByRole('link', { name: 'Discount amount' });
  expect(screen.queryByText('Guarantee')).toBeNull();
});

test('a wallet that cannot be loaded says so', async () => {
  server.use(http.get('*/api/user/property', () => refusal(500, 'Server error')));
  openApp('/wallet');
  expect(await screen.findByText('Server error')).toBeVisible();
});
