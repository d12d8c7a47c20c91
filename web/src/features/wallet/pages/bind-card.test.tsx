import { screen, waitFor, within } from '@testing-library/react';
import { delay, http } from 'msw';
import { expect, test } from 'vitest';
import { md5Hex } from '@/domain/pay/md5';
import { keptConfig } from '@/lib/kept-config';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { basicConfig } from '@/test/fixtures-platform';
import { bankCard, destinations } from '@/test/fixtures-wallet';
import { server } from '@/test/server';

const EDIT = '*/api/bank_card/edit';
const DETAIL = '*/api/bank_card/detail';
const ACCOUNT = 'DE89370400440532013000';

function nothingBound() {
  server.use(http.get(DETAIL, () => ok(destinations({ bank_card: null }))));
}

function passwordSet() {
  server.use(http.get('*/api/user/info', () => ok(fixtures.userInfo({ has_pay_password: true }))));
}

type User = ReturnType<typeof openApp>['user'];

async function fill(user: User, over: Record<string, string> = {}) {
  const values = {
    'Bank name': 'North Sea Bank',
    'Account holder': 'Ada Lovelace',
    'Mobile number': '+4915112345678',
    'Account number': ACCOUNT,
    Branch: 'Hamburg Harbour',
    ...over,
  };
  for (const [label, value] of Object.entries(values)) {
    await user.type(await screen.findByLabelText(label), value);
  }
  await user.click(screen.getByRole('button', { name: 'Review' }));
}

test('a card is checked field by field before anything is sent', async () => {
  nothingBound();
  const { user } = openApp('/wallet/bind-card');
  await user.click(await screen.findByRole('button', { name: 'Review' }));
  const name = screen.getByLabelText('Bank name');
  expect(name).toHaveFocus();
  expect(name).toHaveAccessibleDescription('This field cannot be empty');
  await fill(user, { 'Mobile number': 'call me', 'Account number': '****3000' });
  expect(screen.getByLabelText('Mobile number')).toHaveFocus();
  expect(screen.getByLabelText('Account number')).toHaveAccessibleDescription(
    'Please enter a valid account number, 8 to 34 letters and digits',
  );
  expect(screen.getByLabelText('Account holder')).toHaveAttribute('autocomplete', 'name');
  expect(screen.getByLabelText('Mobile number')).toHaveAttribute('autocomplete', 'tel');
});

test('without a transaction password a card is bound after its review, once', async () => {
  const sent: unknown[] = [];
  nothingBound();
  server.use(
    http.post(EDIT, async ({ request }) => {
      sent.push(await request.json());
      await delay(50);
      server.use(http.get(DETAIL, () => ok(destinations())));
      return ok({ kind: 'bank_card', ...bankCard });
    }),
  );
  const { user } = openApp('/wallet/bind-card');
  await fill(user);
  const sheet = await screen.findByRole('dialog', { name: 'Check what you bind' });
  expect(within(sheet).getByText('DE89 3704 0044 0532 0130 00')).toBeVisible();
  await user.dblClick(within(sheet).getByRole('button', { name: 'Bind' }));
  expect(await screen.findByText('Bind successful')).toBeVisible();
  expect(await screen.findByRole('region', { name: 'Bound bank card' })).toHaveTextContent('****3000');
  expect(sent).toEqual([
    {
      kind: 'bank_card',
      card_name: 'North Sea Bank',
      user_name: 'Ada Lovelace',
      mobile: '+4915112345678',
      bank_account: ACCOUNT,
      branch_name: 'Hamburg Harbour',
    },
  ]);
});

test('with a transaction password an address is bound by it, and the user led back', async () => {
  let body: unknown;
  passwordSet();
  server.use(
    http.post(EDIT, async ({ request }) => {
      body = await request.json();
      return ok({ kind: 'wallet_address', network: 'TRC20', address: 'TJRa****RTv8' });
    }),
  );
  const next = encodeURIComponent('/wallet/withdraw?amount=150');
  const { user } = openApp(`/wallet/bind-card?kind=wallet_address&next=${next}`);
  await user.click(await screen.findByRole('button', { name: 'TRC20' }));
  await user.type(screen.getByLabelText('Address'), 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8');
  await user.click(screen.getByRole('button', { name: 'Review' }));
  const sheet = await screen.findByRole('dialog', { name: 'Check what you bind' });
  await user.click(within(sheet).getByRole('button', { name: 'Bind' }));
  await user.type(within(sheet).getByLabelText('Enter your 6-digit transaction password'), '583920');
  await user.click(within(sheet).getByRole('button', { name: 'OK' }));
  await waitFor(() => expect(address()).toBe('/wallet/withdraw?amount=150'));
  expect(body).toMatchObject({ kind: 'wallet_address', network: 'TRC20', password: md5Hex('583920') });
});

test('a bound card is shown masked, and another one only after a question', async () => {
  const { user } = openApp('/wallet/bind-card');
  expect(await screen.findByText('****3000')).toBeVisible();
  expect(screen.queryByLabelText('Bank name')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Bind another' }));
  const dialog = await screen.findByRole('dialog', { name: 'Already bound' });
  expect(dialog).toHaveTextContent('Bank card ****3000 is already bound. Bind another one in its place?');
  await user.click(within(dialog).getByRole('button', { name: 'Keep it' }));
  await waitFor(() => expect(dialog).not.toBeInTheDocument());
  expect(screen.queryByLabelText('Bank name')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Bind another' }));
  await user.click(
    within(await screen.findByRole('dialog', { name: 'Already bound' })).getByRole('button', {
      name: 'Bind another',
    }),
  );
  expect(await screen.findByLabelText('Bank name')).toHaveValue('North Sea Bank');
  expect(screen.getByLabelText('Account number')).toHaveValue('');
  expect(screen.getByLabelText('Account number')).toHaveAccessibleDescription('Now ****3000');
});

test('a refusal is said at the field that the server names, any other in the sheet', async () => {
  nothingBound();
  server.use(
    http.post(
      EDIT,
      () => refusal(400, 'Please check the mobile number', { reason: 'VALIDATION', field: 'mobile' }),
      { once: true },
    ),
    http.post(EDIT, () => refusal(400, 'You must change something first', { reason: 'NOTHING_CHANGED' })),
  );
  const { user } = openApp('/wallet/bind-card');
  await fill(user);
  await user.click(
    within(await screen.findByRole('dialog', { name: 'Check what you bind' })).getByRole('button', {
      name: 'Bind',
    }),
  );
  const mobile = await screen.findByLabelText('Mobile number');
  await waitFor(() => expect(mobile).toHaveAccessibleDescription('Please check the mobile number'));
  expect(mobile).toHaveValue('+4915112345678');
  await user.type(mobile, '9');
  await user.click(screen.getByRole('button', { name: 'Review' }));
  const sheet = await screen.findByRole('dialog', { name: 'Check what you bind' });
  await user.click(within(sheet).getByRole('button', { name: 'Bind' }));
  expect(await within(sheet).findByText('You must change something first')).toBeVisible();
});

test('what is bound can be asked for again when it could not be loaded', async () => {
  server.use(http.get(DETAIL, () => refusal(500, 'Server error'), { once: true }));
  const { user } = openApp('/wallet/bind-card');
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('****3000')).toBeVisible();
});

const HINT = 'For your protection, withdrawals and exchanges wait 24 hours after a change.';

test('before another account is bound it says that withdrawals wait afterwards, and before the first it does not', async () => {
  nothingBound();
  const first = openApp('/wallet/bind-card');
  expect(await screen.findByLabelText('Bank name')).toBeVisible();
  expect(screen.queryByText(HINT)).not.toBeInTheDocument();
  first.unmount();
  server.use(http.get(DETAIL, () => ok(destinations())));
  openApp('/wallet/bind-card?kind=wallet_address');
  expect(await screen.findByText(HINT)).toBeVisible();
});

test('where withdrawals never wait nothing is said of it', async () => {
  server.use(http.get('*/api/basic_config', () => ok(basicConfig({ withdrawal_cooling_off_hours: 0 }))));
  openApp('/wallet/bind-card?kind=wallet_address');
  expect(await screen.findByLabelText('Address')).toBeVisible();
  await waitFor(() => expect(keptConfig()?.withdrawal_cooling_off_hours).toBe(0));
  expect(screen.queryByText(/withdrawals and exchanges wait/)).not.toBeInTheDocument();
});
