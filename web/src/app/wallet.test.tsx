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
  await user.click(screen.getByRole('button', { name: 'Deposit' }));
  const sheet = await screen.findByRole('dialog', { name: 'Deposit' });
  expect(await within(sheet).findByText('demo')).toBeVisible();
  const service = within(sheet).getByRole('link', { name: 'Customer service 1 - Deposits' });
  expect(service).toHaveAttribute('rel', expect.stringContaining('noopener'));
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
