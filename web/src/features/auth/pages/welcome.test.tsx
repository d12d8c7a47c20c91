import { screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import { server } from '@/test/server';

const CODE = 'Authorisation code';

beforeEach(() => sessionStorage.clear());

async function enterCode(path: string, code: string) {
  const app = openApp(path, { token: null });
  const field = await screen.findByLabelText(CODE);
  if (code) await app.user.type(field, code);
  await app.user.click(screen.getByRole('button', { name: 'Create account' }));
  return { ...app, field };
}

test('a visitor’s code leads to the registration, which has it, with the query of the visit', async () => {
  const { user, unmount } = await enterCode('/ad-welcome?lang=en&from=partner', ' DEMO-LICENSE-0001 ');
  await screen.findByLabelText('Username');
  expect(address()).toBe('/register?lang=en&from=partner');
  expect(screen.getByLabelText(CODE)).toHaveValue('DEMO-LICENSE-0001');
  // It outlives a reload, and Back shows it where it was entered.
  unmount();
  openApp('/ad-welcome', { token: null });
  expect(await screen.findByLabelText(CODE)).toHaveValue('DEMO-LICENSE-0001');
  await user.click(screen.getByRole('link', { name: 'Log in' }));
  await waitFor(() => expect(address()).toBe('/login'));
});

test('without a code it says so', async () => {
  const { field } = await enterCode('/ad-welcome', '');
  expect(field).toHaveAccessibleDescription(/^Please enter the authorisation code/);
  expect(address()).toBe('/ad-welcome');
});

test('a visitor of the entry page comes here with the query', async () => {
  openApp('/entry?from=partner', { token: null });
  expect(await screen.findByLabelText(CODE)).toBeVisible();
  expect(address()).toBe('/ad-welcome?from=partner');
});

test('the registration forgets the code once it is used, and keeps it after a refusal', async () => {
  server.use(
    http.post(
      '*/api/auth/v2/register',
      () => refusal(400, 'Already used', { reason: 'LICENSE_USED', field: 'licenseKey' }),
      { once: true },
    ),
  );
  const { user } = await enterCode('/ad-welcome', 'DEMO-LICENSE-0001');
  await user.type(await screen.findByLabelText('Username'), 'alice');
  await user.type(screen.getByLabelText('Password'), 'correct horse');
  await user.type(screen.getByLabelText('Confirm password'), 'correct horse');
  await user.type(screen.getByLabelText('Email'), 'alice@example.com');
  await user.type(screen.getByLabelText('Phone'), '+49 151 2345678');
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByText('Already used')).toBeVisible();
  expect(sessionStorage.getItem('adfolio.code')).toBe('DEMO-LICENSE-0001');
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByText('Registration successful')).toBeVisible();
  expect(sessionStorage.getItem('adfolio.code')).toBeNull();
});
