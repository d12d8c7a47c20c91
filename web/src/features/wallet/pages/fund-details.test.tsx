import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { formatsFor } from '@/i18n/format';
import type { WalletAccount } from '@/lib/api/types';
import { sum } from '@/lib/money';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { movements } from '@/test/fixtures-wallet';
import { server } from '@/test/server';

const FLOW = '*/api/transaction_flow/list';

test('fund details are filtered by balance, type and month, in the address', async () => {
  const asked: string[] = [];
  server.use(
    http.get(FLOW, ({ request }) => {
      asked.push(new URL(request.url).search);
      return ok({ items: movements, next_cursor: null });
    }),
  );
  const { user } = openApp('/wallet/fund-details');
  expect(await screen.findAllByText('Ad revenue paid out')).not.toHaveLength(0);
  expect(asked.at(-1)).toBe('?account=available');
  await user.selectOptions(screen.getByLabelText('Type'), 'Profit sharing');
  await waitFor(() => expect(asked.at(-1)).toBe('?account=available&type=profit_sharing'));
  expect(address()).toBe('/wallet/fund-details?type=profit_sharing');
  const month = screen.getByLabelText('Month');
  const second = within(month).getAllByRole('option')[1];
  if (!second) throw new Error('no month');
  await user.selectOptions(month, second);
  await waitFor(() =>
    expect(asked.at(-1)).toMatch(/^\?account=available&type=profit_sharing&month=\d{4}-\d{2}$/),
  );
  await user.selectOptions(screen.getByLabelText('Balance'), 'To be settled');
  await waitFor(() => expect(asked.at(-1)).toMatch(/^\?account=to_be_settled&type=profit_sharing&month=/));
  await user.selectOptions(screen.getByLabelText('Balance'), 'Being withdrawn');
  await waitFor(() => expect(asked.at(-1)).toMatch(/^\?account=withdrawing&month=/));
  expect(address()).toMatch(/^\/wallet\/fund-details\?month=\d{4}-\d{2}&account=withdrawing$/);
  expect(within(screen.getByLabelText('Type')).getAllByRole('option')).toHaveLength(2);
});

const property = fixtures.property();

test.each<[WalletAccount, string, string]>([
  ['available', property.available_funds, 'Available funds'],
  ['to_be_consumed', property.to_be_consumed, 'To be consumed'],
  ['to_be_settled', property.to_be_settled, 'To be settled'],
  ['withdrawing', property.withdrawing, 'Being withdrawn'],
])('the balance %s is at the head of the movements that add up to it', async (account, balance, name) => {
  openApp(`/wallet/fund-details?account=${account}`);
  const head = await screen.findByRole('region', { name });
  const { money, signedMoney } = formatsFor('en');
  await waitFor(() => expect(head).toHaveTextContent(`${money(balance)} USD`));
  expect(head).toHaveTextContent('All movements of this balance add up to it.');
  const own = movements.filter((entry) => entry.account === account);
  expect(sum(own.map(({ amount }) => amount))).toBe(balance);
  const panel = screen.getByRole('tabpanel');
  const rows = await within(panel).findAllByRole('listitem');
  const amounts = rows.map((row) => row.textContent);
  for (const [place, { amount }] of own.entries()) expect(amounts[place]).toContain(signedMoney(amount));
  expect(rows).toHaveLength(own.length);
});

test('earned revenue has its lines, and each names its plan and leads to it', async () => {
  const { user } = openApp('/wallet/fund-details?account=to_be_settled');
  expect(await screen.findAllByText('Ad revenue earned')).toHaveLength(2);
  expect(screen.getByText('Ad revenue corrected')).toBeVisible();
  const [link] = screen.getAllByRole('link', { name: 'Merge Harbor · AD-20261118-000042' });
  if (!link) throw new Error('no link');
  await user.click(link);
  expect(await screen.findByText('1,240.30 of 2,000.00 consumed')).toBeVisible();
});

test('no movements: what will be listed, or the way back from the filter', async () => {
  server.use(http.get(FLOW, () => ok({ items: [], next_cursor: null })));
  const { user } = openApp('/wallet/fund-details?type=exchange');
  expect(await screen.findByText('Nothing matches')).toBeVisible();
  await user.click(screen.getByRole('link', { name: 'Clear filters' }));
  expect(await screen.findByText('No movements yet')).toBeVisible();
});

test('the monthly view names what each month was made of and leads to the details', async () => {
  const [november, ...others] = fixtures.monthly;
  if (!november) throw new Error('no fixture');
  const exchanged = {
    ...november,
    net: '12733.90',
    by_type: { ...november.by_type, exchange: '-250.00' },
  };
  server.use(http.get('*/api/transaction_flow/monthly', () => ok({ items: [exchanged, ...others] })));
  const { user } = openApp('/wallet/fund-details');
  await user.click(await screen.findByRole('tab', { name: 'By month' }));
  const month = (await screen.findByRole('heading', { name: 'November 2026' })).closest('li');
  if (!month) throw new Error('no month');
  await waitFor(() => expect(month).toHaveTextContent('+12,733.90 USD'));
  expect(month).toHaveTextContent(
    'Deposits+15,000.00Ad revenue paid out+1,184.20Paid into plans−3,200.30Other−250.00',
  );
  expect(screen.getByRole('heading', { name: 'October 2026' })).toBeVisible();
  await user.click(within(month).getByText('By type'));
  await user.click(within(month).getByRole('link', { name: 'Profit sharing' }));
  await waitFor(() => expect(address()).toBe('/wallet/fund-details?type=profit_sharing&month=2026-11'));
});

test('the months are drawn as bars, which the keyboard walks over and a table says in text', async () => {
  const { user } = openApp('/wallet/fund-details?view=monthly');
  const chart = await screen.findByRole('slider', { name: 'Money in and out by month' });
  expect(chart).toHaveAttribute('aria-valuetext', 'November 2026, In 16,184.20, Out 3,200.30');
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
  const { user } = openApp('/wallet/fund-details?account=to_be_consumed');
  await user.click(await screen.findByRole('button', { name: /^Spent on ads, −1,240.30/ }));
  const sheet = await screen.findByRole('dialog', { name: 'Movement' });
  expect(sheet).toHaveTextContent('Spent on ads−1,240.30 USD');
  expect(sheet).toHaveTextContent('AccountTo be consumed');
  expect(sheet).toHaveTextContent('Balance after4,850.25');
  expect(within(sheet).getByText('ab'.repeat(32))).toBeVisible();
  expect(within(sheet).getByRole('button', { name: 'Copy hash' })).toBeVisible();
  expect(within(sheet).getByRole('button', { name: 'Share receipt' })).toBeVisible();
  await user.click(within(sheet).getByRole('link', { name: 'Merge Harbor · AD-20261118-000042' }));
  await waitFor(() => expect(address()).toBe('/plan/detail?id=plan-1'));
});

test('a notice of money leads to its movement', async () => {
  const { user } = openApp('/notification');
  await user.click(await screen.findByRole('link', { name: /^Deposit credited/ }));
  const sheet = await screen.findByRole('dialog', { name: 'Movement' });
  expect(await within(sheet).findByText('Invoice 2026-031')).toBeVisible();
  await user.click(within(sheet).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(address()).toBe('/wallet/fund-details');
});

test('a movement that the address names is fetched alone, and an unknown one is not found', async () => {
  const { unmount } = openApp('/wallet/fund-details?entry=flow-18');
  const sheet = await screen.findByRole('dialog', { name: 'Movement' });
  expect(await within(sheet).findByText('Invoice 2026-031')).toBeVisible();
  unmount();
  openApp('/wallet/fund-details?entry=nowhere');
  expect(await screen.findByText('This movement was not found')).toBeVisible();
});

test('a movement that cannot be fetched can be asked for again', async () => {
  server.use(
    http.get('*/api/transaction_flow/list', ({ request }) =>
      new URL(request.url).searchParams.has('id') ? refusal(500, 'Not now') : undefined,
    ),
  );
  const { user } = openApp('/wallet/fund-details?entry=flow-18');
  const sheet = await screen.findByRole('dialog', { name: 'Movement' });
  expect(await within(sheet).findByText('Not now')).toBeVisible();
  server.resetHandlers();
  await user.click(within(sheet).getByRole('button', { name: 'Try again' }));
  expect(await within(sheet).findByText('Invoice 2026-031')).toBeVisible();
});
