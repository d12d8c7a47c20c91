import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { ok } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { server } from '@/test/server';

const FLOW = '*/api/transaction_flow/list';

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
