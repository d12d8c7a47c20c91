import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { server } from '@/test/server';

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
