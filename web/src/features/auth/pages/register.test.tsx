import { screen } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import { server } from '@/test/server';

test('registration sends what was typed once and shows a taken name at its field', async () => {
  const sent: unknown[] = [];
  server.use(
    http.post('*/api/auth/v2/register', async ({ request }) => {
      sent.push({ key: request.headers.get('Idempotency-Key'), body: await request.json() });
      return refusal(4001, 'Username already exists', { reason: 'USERNAME_TAKEN', field: 'username' });
    }),
  );
  const { user } = openApp('/register', { token: null });
  await user.type(await screen.findByLabelText('Username'), ' alice ');
  await user.type(screen.getByLabelText('Password'), 'correct horse');
  await user.type(screen.getByLabelText('Confirm password'), 'correct horse');
  await user.type(screen.getByLabelText('Email'), 'alice@example.com');
  await user.type(screen.getByLabelText('Phone'), '+49 151 2345678');
  await user.type(screen.getByLabelText('Authorisation code'), 'DEMO-LICENSE-0001');
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  const username = screen.getByLabelText('Username');
  expect(await screen.findByText('Username already exists')).toBeVisible();
  expect(username).toHaveFocus();
  expect(username).toHaveValue(' alice ');
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({
    key: expect.stringMatching(/^[0-9a-f]{32}$/),
    body: { username: 'alice', licenseKey: 'DEMO-LICENSE-0001', confirm_password: 'correct horse' },
  });
});

test('a refused password says why at its field', async () => {
  const why = 'This password is too similar to your username, nickname or email, please choose another';
  server.use(
    http.post('*/api/auth/v2/register', () =>
      refusal(400, why, { reason: 'VALIDATION', field: 'password', rule: 'like_name' }),
    ),
  );
  const { user } = openApp('/register', { token: null });
  await user.type(await screen.findByLabelText('Username'), 'annabelle');
  await user.type(screen.getByLabelText('Password'), 'annabelle1');
  await user.type(screen.getByLabelText('Confirm password'), 'annabelle1');
  await user.type(screen.getByLabelText('Email'), 'alice@example.com');
  await user.type(screen.getByLabelText('Phone'), '+49 151 2345678');
  await user.type(screen.getByLabelText('Authorisation code'), 'DEMO-LICENSE-0001');
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByText(why)).toBeVisible();
  expect(screen.getByLabelText('Password')).toHaveFocus();
  expect(screen.getByLabelText('Password')).toHaveAccessibleDescription(expect.stringContaining(why));
});

test.each([
  ['short', 'Use at least 8 characters'],
  ['x'.repeat(129), 'Use at most 128 characters'],
  [' '.repeat(9), 'A password cannot be only blanks'],
])('a password that cannot be right is refused as soon as its field is left', async (password, why) => {
  const { user } = openApp('/register', { token: null });
  const field = await screen.findByLabelText('Password');
  field.focus();
  await user.paste(password);
  expect(field).toBeValid();
  await user.tab();
  expect(field).toHaveAccessibleDescription(expect.stringMatching(`^${why}`));
  await user.clear(field);
  await user.tab();
  expect(field).toBeValid();
});
