import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { server } from '@/test/server';

const FLOW = '*/api/transaction_flow/list';

test('the wallet shows its figures and leads to what they are made of', async () => {
  const { user } = openApp('/wallet');
  expect(await screen.findByText('18,450.75')).toBeVisible();
  expect(screen.getByText('12,300.50')).toBeVisible();
  expect(screen.getByRole('link', { name: 'To be settled' })).toHaveAttribute(
    'href',
    '#/plan?status=waiting_settlement',
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

test.each([
  [false, '#/wallet/set-password'],
  [true, '#/ad-center/edit-pay-password'],
])('the transaction password, set or not (%s), leads to its page', async (isSet, href) => {
  server.use(http.get('*/api/user/info', () => ok(fixtures.userInfo({ has_pay_password: isSet }))));
  openApp('/wallet');
  const link = await screen.findByRole('link', { name: 'Transaction password' });
  await waitFor(() => expect(link).toHaveAttribute('href', href));
});

test('start-up funds are explained, with who arranges their return', async () => {
  server.use(
    http.get('*/api/user/property', () => ok(fixtures.property({ start_up_funds_outstanding: '500.00' }))),
  );
  const { user } = openApp('/wallet');
  await user.click(await screen.findByRole('button', { name: 'Start-up funds outstanding' }));
  const sheet = await screen.findByRole('dialog', { name: 'Start-up funds' });
  expect(sheet).toHaveTextContent('500.00 USD');
  await user.click(within(sheet).getByRole('button', { name: 'Arrange the return' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toHaveTextContent(
    'Ask for the return of your start-up funds to be booked.',
  );
});

test('a wallet that cannot be loaded says so', async () => {
  server.use(http.get('*/api/user/property', () => refusal(500, 'Server error')));
  openApp('/wallet');
  expect(await screen.findByText('Server error')).toBeVisible();
});

test('fund details are filtered by type and month, in the address', async () => {
  const asked: string[] = [];
  server.use(
    http.get(FLOW, ({ request }) => {
      asked.push(new URL(request.url).search);
      return ok({ items: fixtures.flows, next_cursor: null });
    }),
  );
  const { user } = openApp('/wallet/fund-details');
  expect(await screen.findAllByText('Profit sharing')).not.toHaveLength(0);
  await user.selectOptions(screen.getByLabelText('Type'), 'System top-up');
  await waitFor(() => expect(asked.at(-1)).toBe('?type=system_top_up'));
  expect(address()).toBe('/wallet/fund-details?type=system_top_up');
  const month = screen.getByLabelText('Month');
  const second = within(month).getAllByRole('option')[1];
  if (!second) throw new Error('no month');
  await user.selectOptions(month, second);
  await waitFor(() => expect(asked.at(-1)).toMatch(/^\?type=system_top_up&month=\d{4}-\d{2}$/));
});

test('a movement leads to its plan', async () => {
  const { user } = openApp('/wallet/fund-details?type=ad_billing');
  await user.click(await screen.findByRole('link', { name: 'See plan' }));
  expect(await screen.findByText('1,240.30 of 2,000.00 consumed')).toBeVisible();
});

test('no movements: what will be listed, or the way back from the filter', async () => {
  server.use(http.get(FLOW, () => ok({ items: [], next_cursor: null })));
  const { user } = openApp('/wallet/fund-details?type=exchange');
  expect(await screen.findByText('Nothing matches')).toBeVisible();
  await user.click(screen.getByRole('link', { name: 'Clear filters' }));
  expect(await screen.findByText('No movements yet')).toBeVisible();
});

test('the monthly view sums up and leads to the details', async () => {
  const { user } = openApp('/wallet/fund-details');
  await user.click(await screen.findByRole('tab', { name: 'By month' }));
  expect(await screen.findByText('+12,983.90')).toBeVisible();
  expect(screen.getByRole('heading', { name: 'October 2026' })).toBeVisible();
  const [first] = screen.getAllByText('By type');
  if (!first) throw new Error('no month');
  await user.click(first);
  await user.click(screen.getByRole('link', { name: 'Profit sharing' }));
  await waitFor(() => expect(address()).toBe('/wallet/fund-details?type=profit_sharing&month=2026-11'));
});

test('the months are drawn as bars, which the keyboard walks over and a table says in text', async () => {
  const { user } = openApp('/wallet/fund-details?view=monthly');
  const chart = await screen.findByRole('slider', { name: 'Money in and out by month' });
  expect(chart).toHaveAttribute('aria-valuetext', 'November 2026, In 16,204.20, Out 3,220.30');
  chart.focus();
  await user.keyboard('{Home}');
  expect(chart).toHaveAttribute('aria-valuetext', 'October 2026, In 900.00, Out 1,583.40');
  await user.click(screen.getByText('Show as table'));
  const table = screen.getByRole('table');
  expect(within(table).getByRole('columnheader', { name: 'Month' })).toBeVisible();
  expect(within(table).getAllByRole('row')).toHaveLength(3);
});

test('a month leads to its movements', async () => {
  const { user } = openApp('/wallet/fund-details?view=monthly');
  await user.click(await screen.findByRole('link', { name: 'October 2026' }));
  await waitFor(() => expect(address()).toBe('/wallet/fund-details?month=2026-10'));
});

test('a movement opens its details, with what it belongs to and its hash', async () => {
  const { user } = openApp('/wallet/fund-details');
  await user.click(await screen.findByRole('button', { name: /^Ad billing, -1,240.30/ }));
  const sheet = await screen.findByRole('dialog', { name: 'Movement' });
  expect(sheet).toHaveTextContent('AccountAvailable funds');
  expect(sheet).toHaveTextContent('Balance after12,300.50');
  expect(sheet).toHaveTextContent('AD-20261118-000042');
  expect(within(sheet).getByText('ab'.repeat(32))).toBeVisible();
  expect(within(sheet).getByRole('button', { name: 'Copy hash' })).toBeVisible();
  await user.click(within(sheet).getByRole('link', { name: 'See plan' }));
  await waitFor(() => expect(address()).toBe('/plan/detail?id=plan-1'));
});
