import { screen, waitFor } from '@testing-library/react';
import { delay, http } from 'msw';
import { expect, test } from 'vitest';
import type { ErrorData } from '@/lib/api/error';
import { ok, refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import { server } from '@/test/server';

const CHANGE = '*/api/update/password';

async function fill(old = 'correct horse', next = 'battery staple', confirm = next) {
  const app = openApp('/ad-center/edit-login-password');
  await app.user.type(await screen.findByLabelText('Old password'), old);
  await app.user.type(screen.getByLabelText('New password'), next);
  await app.user.type(screen.getByLabelText('Confirm new password'), confirm);
  return app;
}

const submit = () => screen.getByRole('button', { name: 'Change password' });

test('the password is changed once, and then everyone logs in again', async () => {
  const sent: unknown[] = [];
  server.use(
    http.post(CHANGE, async ({ request }) => {
      sent.push(await request.json());
      await delay(50);
      return ok({});
    }),
  );
  const { user } = await fill();
  expect(screen.getByLabelText('Old password')).toHaveAttribute('autocomplete', 'current-password');
  expect(screen.getByLabelText('New password')).toHaveAttribute('autocomplete', 'new-password');
  await user.dblClick(submit());
  expect(await screen.findByText('Password changed successfully, please log in again')).toBeVisible();
  expect(await screen.findByLabelText('Username')).toHaveValue('demo');
  expect(localStorage.getItem('adfolio.token')).toBeNull();
  expect(sent).toEqual([
    {
      old_password: 'correct horse',
      new_password: 'battery staple',
      confirm_password: 'battery staple',
    },
  ]);
});

test('what cannot be right is said before anything is sent', async () => {
  const { user } = await fill('correct horse', 'correct horse', 'other');
  await user.click(submit());
  const next = screen.getByLabelText('New password');
  expect(next).toHaveAccessibleDescription(/^The new password must differ from the old one/);
  expect(next).toHaveFocus();
  expect(screen.getByLabelText('Confirm new password')).toHaveAccessibleDescription(
    'The two passwords entered do not match',
  );
});

test('a new password that cannot be right is refused as soon as its field is left', async () => {
  await fill('correct horse', 'short', 'short');
  expect(screen.getByLabelText('New password')).toHaveAccessibleDescription(/^Use at least 8 characters/);
});

test.each<[string, string, ErrorData]>([
  ['Old password', 'The old password is wrong', { reason: 'WRONG_PASSWORD', field: 'old_password' }],
  ['New password', 'It must differ', { reason: 'PASSWORD_UNCHANGED', field: 'new_password' }],
  ['Confirm new password', 'They do not match', { reason: 'PASSWORD_MISMATCH', field: 'confirm_password' }],
])('a refusal is shown at its field: %s', async (label, text, data) => {
  server.use(http.post(CHANGE, () => refusal(400, text, data)));
  const { user } = await fill();
  await user.click(submit());
  const field = screen.getByLabelText(label);
  await waitFor(() => expect(field).toHaveAccessibleDescription(new RegExp(`^${text}`)));
  expect(field).toHaveFocus();
  expect(screen.getByLabelText('New password')).toHaveValue('battery staple');
});

test('after too many attempts it says how long to wait', async () => {
  server.use(
    http.post(CHANGE, () =>
      refusal(429, 'Too many attempts', { reason: 'TOO_MANY_ATTEMPTS', retry_after: 120 }),
    ),
  );
  const { user } = await fill();
  await user.click(submit());
  expect(await screen.findByText('Too many attempts. Try again in 2 minutes.')).toBeVisible();
});

test('it says beforehand that withdrawals wait afterwards', async () => {
  openApp('/ad-center/edit-login-password');
  const hint = 'For your protection, withdrawals and exchanges wait 24 hours after a change.';
  expect(await screen.findByText(hint)).toBeVisible();
});
