import { screen, waitFor, within } from '@testing-library/react';
import { delay, http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { server } from '@/test/server';

const INFO = '*/api/user/info';
const SEND = '*/api/user/email/code';
const CONFIRM = '*/api/user/email/confirm';

beforeEach(() => {
  server.use(http.get(INFO, () => ok(fixtures.userInfo({ email_confirmed: false }))));
});

async function openCard() {
  const { user } = openApp('/ad-center/security');
  const region = await screen.findByRole('region', { name: 'Email' });
  await within(region).findByText('Not confirmed');
  return { user, card: within(region) };
}

test('a code is sent once and confirms the address once', async () => {
  const sent: unknown[] = [];
  server.use(
    http.post(SEND, async ({ request }) => {
      sent.push(await request.json());
      await delay(50);
      return ok({ valid_until: fixtures.at(900_000) });
    }),
    http.post(CONFIRM, async ({ request }) => {
      sent.push(await request.json());
      await delay(50);
      return ok(fixtures.userInfo({ email_confirmed: true }));
    }),
  );
  const { user, card } = await openCard();
  await user.dblClick(card.getByRole('button', { name: 'Send code' }));
  const told = 'We sent a code. It works for 15 minutes.';
  expect(await card.findByText(told)).toBeVisible();
  const code = card.getByLabelText('Code from the email');
  expect(code).toHaveAttribute('autocomplete', 'one-time-code');
  expect(code).toHaveAttribute('inputmode', 'numeric');
  await user.type(code, '2067 1943');
  await user.dblClick(card.getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('Email confirmed')).toBeVisible();
  expect(await card.findByText('Confirmed')).toBeVisible();
  expect(card.queryByRole('button')).toBeNull();
  expect(sent).toEqual([{}, { code: '2067 1943' }]);
});

test('what is no code is said before anything is sent, and a wrong one at the field', async () => {
  let asked = 0;
  server.use(
    http.post(CONFIRM, () => {
      asked += 1;
      return refusal(400, 'This code is wrong', { reason: 'EMAIL_CODE_INVALID', field: 'code' });
    }),
  );
  const { user, card } = await openCard();
  const code = card.getByLabelText('Code from the email');
  await user.type(code, '1234567');
  await user.click(card.getByRole('button', { name: 'Confirm' }));
  expect(code).toHaveAccessibleDescription(/^Enter the 8 digits/);
  expect(code).toHaveFocus();
  expect(asked).toBe(0);
  await user.type(code, '8');
  await user.click(card.getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(code).toHaveAccessibleDescription(/^This code is wrong/));
  expect(code).toHaveFocus();
  expect(code).toHaveValue('12345678');
  expect(card.getByText('Not confirmed')).toBeVisible();
});

test('after enough codes it says how long to wait', async () => {
  server.use(
    http.post(SEND, () =>
      refusal(429, 'Too many attempts', { reason: 'TOO_MANY_ATTEMPTS', retry_after: 3300 }),
    ),
  );
  const { user, card } = await openCard();
  await user.click(card.getByRole('button', { name: 'Send code' }));
  expect(await card.findByText('Too many attempts. Try again in 55 minutes.')).toBeVisible();
});

test('an address that was confirmed elsewhere is shown as such', async () => {
  server.use(
    http.post(SEND, () => {
      server.use(http.get(INFO, () => ok(fixtures.userInfo({ email_confirmed: true }))));
      return refusal(400, 'Nothing was changed', { reason: 'NOTHING_CHANGED' });
    }),
  );
  const { user, card } = await openCard();
  await user.click(card.getByRole('button', { name: 'Send code' }));
  expect(await card.findByText('Confirmed')).toBeVisible();
});

test('the profile says whether its address is confirmed, until another one is typed', async () => {
  const { user } = openApp('/account');
  await user.click(await screen.findByRole('button', { name: 'Edit profile of Demo Advertiser' }));
  const sheet = await screen.findByRole('dialog', { name: 'Profile' });
  const email = within(sheet).getByLabelText('Email');
  expect(email).toHaveAccessibleDescription('Not confirmed');
  await user.type(email, 'x');
  expect(email).not.toHaveAccessibleDescription();
});

test('without an address there is nothing to confirm', async () => {
  server.use(http.get(INFO, () => ok(fixtures.userInfo({ email: '' }))));
  openApp('/ad-center/security');
  await screen.findByText('This device');
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Email' })).toBeNull());
});
