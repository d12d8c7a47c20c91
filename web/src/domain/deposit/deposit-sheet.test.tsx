import { screen, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test, vi } from 'vitest';
import { ok } from '@/test/answers';
import { openApp } from '@/test/app';
import { userInfo } from '@/test/fixtures';
import { basicConfig } from '@/test/fixtures-platform';
import { server } from '@/test/server';

async function openSheet() {
  const { user } = openApp('/wallet');
  await user.click(await screen.findByRole('button', { name: 'Deposit' }));
  return { user, sheet: await screen.findByRole('dialog', { name: 'Deposit' }) };
}

test('a deposit names its ways, with limits, fee and time', async () => {
  const { sheet } = await openSheet();
  const methods = await within(sheet).findByRole('region', { name: 'Ways to deposit' });
  const [bank, coin] = within(methods).getAllByRole('listitem');
  expect(bank).toHaveTextContent(
    'Bank transferAmount50.00 to 100,000.00 USDFeeFree of chargeArrivesWithin 2 working days',
  );
  expect(coin).toHaveTextContent('AmountFrom 20.00 USD');
  expect(sheet).toHaveTextContent('We never ask for payments to private accounts.');
});

test('the payment reference is read in groups and copied without blanks', async () => {
  const { user, sheet } = await openSheet();
  expect(await within(sheet).findByText('RF18 ADF0 LK7Q ZX2M')).toBeVisible();
  const write = vi.spyOn(navigator.clipboard, 'writeText');
  await user.click(within(sheet).getByRole('button', { name: 'Copy payment reference' }));
  expect(write).toHaveBeenCalledExactlyOnceWith('RF18ADF0LK7QZX2M');
});

test('a platform without ways and a user without a reference show none', async () => {
  server.use(
    http.get('*/api/basic_config', () => ok(basicConfig({ deposit_methods: [] }))),
    http.get('*/api/user/info', () => ok(userInfo({ payment_reference: '' }))),
  );
  const { sheet } = await openSheet();
  expect(await within(sheet).findByText('demo')).toBeVisible();
  expect(within(sheet).queryByText('Ways to deposit')).not.toBeInTheDocument();
  expect(within(sheet).queryByText('Your payment reference')).not.toBeInTheDocument();
});
