import { screen, waitFor, within } from '@testing-library/react';
import { delay, http } from 'msw';
import { expect, test } from 'vitest';
import { md5Hex } from '@/domain/pay/md5';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { server } from '@/test/server';

const SET = '*/api/set/password';

const CHOOSE = 'Choose a 6-digit transaction password';
const AGAIN = 'Enter it once more';
const CURRENT = 'Enter your current transaction password';
const NEW = 'Enter your new transaction password';

function isSet() {
  server.use(http.get('*/api/user/info', () => ok(fixtures.userInfo({ has_pay_password: true }))));
}

type User = ReturnType<typeof openApp>['user'];

async function enter(user: User, label: string, digits: string, button = 'Continue') {
  const field = await screen.findByLabelText(label);
  await user.type(field, digits);
  await user.click(screen.getByRole('button', { name: button }));
  return field;
}

test('a password is entered twice and set once, then the user is led back', async () => {
  const sent: unknown[] = [];
  server.use(
    http.post(SET, async ({ request }) => {
      sent.push(await request.json());
      await delay(50);
      return ok({});
    }),
  );
  const { user } = openApp(`/wallet/set-password?next=${encodeURIComponent('/wallet/withdraw?amount=5')}`);
  const field = await enter(user, CHOOSE, '58x3');
  expect(field).toHaveValue('583');
  expect(field).toHaveAccessibleDescription('Please enter a 6-digit transaction password');
  await user.type(field, '9');
  expect(field).not.toHaveAccessibleDescription('Please enter a 6-digit transaction password');
  await enter(user, CHOOSE, '20');
  await user.type(await screen.findByLabelText(AGAIN), '583920');
  await user.dblClick(screen.getByRole('button', { name: 'Set password' }));
  expect(await screen.findByText('Set successfully')).toBeVisible();
  await waitFor(() => expect(address()).toBe('/wallet/withdraw?amount=5'));
  expect(sent).toEqual([{ password: md5Hex('583920'), confirm_password: md5Hex('583920') }]);
});

test('two that differ are said at the second, which keeps its digits', async () => {
  const { user } = openApp('/wallet/set-password');
  await enter(user, CHOOSE, '583920');
  const again = await enter(user, AGAIN, '583921', 'Set password');
  expect(again).toHaveAccessibleDescription('The two passwords entered do not match');
  expect(again).toHaveValue('583921');
  await user.click(screen.getByRole('button', { name: 'Choose another one' }));
  expect(await screen.findByLabelText(CHOOSE)).toHaveValue('');
});

test('a weak one is refused at the first step, before it is confirmed', async () => {
  server.use(http.post(SET, () => expect.unreachable()));
  const { user } = openApp('/wallet/set-password');
  const field = await enter(user, CHOOSE, '123456');
  expect(field).toHaveAccessibleDescription('This transaction password is too easy to guess');
  expect(field).toHaveValue('123456');
  expect(screen.queryByLabelText(AGAIN)).not.toBeInTheDocument();
});

test('one that only the server finds weak is said at the first step, too', async () => {
  server.use(
    http.post(SET, () =>
      refusal(400, 'This one is known', { reason: 'WEAK_PAY_PASSWORD', field: 'password' }),
    ),
  );
  const { user } = openApp('/wallet/set-password');
  await enter(user, CHOOSE, '583920');
  await enter(user, AGAIN, '583920', 'Set password');
  const field = await screen.findByLabelText(CHOOSE);
  expect(field).toHaveAccessibleDescription('This one is known');
  expect(field).toHaveValue('583920');
});

test('Back goes back one step first', async () => {
  const { user } = openApp('/wallet/set-password');
  await enter(user, CHOOSE, '583920');
  await screen.findByLabelText(AGAIN);
  await user.click(screen.getByRole('button', { name: 'Back' }));
  expect(await screen.findByLabelText(CHOOSE)).toHaveValue('583920');
});

test('another address than one of the app is not followed', async () => {
  const { user } = openApp(`/wallet/set-password?next=${encodeURIComponent('//evil.example')}`);
  await enter(user, CHOOSE, '583920');
  await enter(user, AGAIN, '583920', 'Set password');
  expect(await screen.findByText('Set successfully')).toBeVisible();
  expect(address()).not.toMatch(/^\/\/evil/);
});

test('changing asks for the current one first and refuses a wrong one there', async () => {
  const sent: unknown[] = [];
  isSet();
  server.use(
    http.post(
      '*/api/check/password',
      () => refusal(400, 'Wrong transaction password', { reason: 'WRONG_PAY_PASSWORD' }),
      { once: true },
    ),
    http.post(SET, async ({ request }) => {
      sent.push(await request.json());
      return ok({});
    }),
  );
  const { user } = openApp('/ad-center/edit-pay-password?next=%2Fwallet');
  const old = await enter(user, CURRENT, '111119');
  await waitFor(() => expect(old).toHaveAccessibleDescription('Wrong transaction password'));
  await user.clear(old);
  await enter(user, CURRENT, '246810');
  const next = await enter(user, NEW, '246810');
  expect(next).toHaveAccessibleDescription('Please choose a password that differs from the current one');
  await user.clear(next);
  await enter(user, NEW, '583920');
  await enter(user, AGAIN, '583920', 'Set password');
  await waitFor(() => expect(address()).toBe('/wallet'));
  expect(sent).toEqual([
    {
      old_password: md5Hex('246810'),
      password: md5Hex('583920'),
      confirm_password: md5Hex('583920'),
    },
  ]);
});

test('a forgotten one is reset by customer service', async () => {
  isSet();
  const { user } = openApp('/ad-center/edit-pay-password');
  await user.click(await screen.findByRole('button', { name: 'Forgot your transaction password?' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toHaveTextContent(
    'Customer service resets a forgotten transaction password.',
  );
});

test('setting leads to changing where one is set, and the other way round', async () => {
  isSet();
  const { unmount } = openApp('/wallet/set-password?next=%2Fwallet');
  expect(await screen.findByRole('link', { name: 'Change it' })).toHaveAttribute(
    'href',
    '#/ad-center/edit-pay-password?next=%2Fwallet',
  );
  unmount();
  server.resetHandlers();
  openApp('/ad-center/edit-pay-password');
  expect(await screen.findByRole('link', { name: 'Set transaction password' })).toHaveAttribute(
    'href',
    '#/wallet/set-password',
  );
});

test('when the account cannot be loaded it can be asked for again', async () => {
  server.use(http.get('*/api/user/info', () => refusal(500, 'Server error')));
  openApp('/wallet/set-password');
  expect(await screen.findByText('No user data')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Try again' })).toBeVisible();
});

test('the first one may need the login password; giving up keeps both entries', async () => {
  const sent: unknown[] = [];
  let fresh = false;
  server.use(
    http.post(SET, async ({ request }) => {
      sent.push(await request.json());
      return fresh ? ok({}) : refusal(400, 'Please sign in again', { reason: 'STEP_UP_REQUIRED' });
    }),
    http.post('*/api/user/step_up', () => {
      fresh = true;
      return ok({ fresh_until: fixtures.at(900_000) });
    }),
  );
  const { user } = openApp(`/wallet/set-password?next=${encodeURIComponent('/wallet/withdraw')}`);
  await enter(user, CHOOSE, '583920');
  const again = await enter(user, AGAIN, '583920', 'Set password');
  const sheet = await screen.findByRole('dialog', { name: 'Confirm that it is you' });
  await user.click(within(sheet).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(sheet).not.toBeInTheDocument());
  const submit = screen.getByRole('button', { name: 'Set password' });
  await waitFor(() => expect(submit).toBeEnabled());
  expect(again).toHaveValue('583920');
  expect(again).toBeValid();
  expect(again).toHaveAccessibleDescription('');

  await user.click(submit);
  const second = await screen.findByRole('dialog', { name: 'Confirm that it is you' });
  await user.type(within(second).getByLabelText('Login password'), 'adfolio-demo-1');
  await user.click(within(second).getByRole('button', { name: 'Continue' }));
  expect(await screen.findByText('Set successfully')).toBeVisible();
  await waitFor(() => expect(address()).toBe('/wallet/withdraw'));
  const body = { password: md5Hex('583920'), confirm_password: md5Hex('583920') };
  expect(sent).toEqual([body, body, body]);
});

test('a change says beforehand that withdrawals wait afterwards, setting the first one does not', async () => {
  const hint = 'For your protection, withdrawals and exchanges wait 24 hours after a change.';
  const first = openApp('/wallet/set-password');
  expect(await screen.findByLabelText(CHOOSE)).toBeVisible();
  expect(screen.queryByText(hint)).not.toBeInTheDocument();
  first.unmount();
  isSet();
  openApp('/ad-center/edit-pay-password');
  expect(await screen.findByLabelText(CURRENT)).toBeVisible();
  expect(await screen.findByText(hint)).toBeVisible();
});
