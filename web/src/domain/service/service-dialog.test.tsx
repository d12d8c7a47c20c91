import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { sessionStore } from '@/lib/session/store';
import { ok, refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import { property, userInfo } from '@/test/fixtures';
import { basicConfig, serviceEntry } from '@/test/fixtures-platform';
import { server } from '@/test/server';

const INSIDE = serviceEntry({
  id: 'inside',
  type: 1,
  url: 'https://support.example.com/chat?a=1&b={subject}',
  label: 'Chat',
  hours: 'Mon–Fri, 9–18 CET',
  answer_time: 'Within an hour',
});
const OUTSIDE = serviceEntry({
  id: 'outside',
  type: 2,
  url: 'https://messenger.example.com/',
  label: 'Messenger',
});

const contacts = () =>
  server.use(
    http.get('*/api/basic_config', () => ok(basicConfig({ customer_service_url: [INSIDE, OUTSIDE] }))),
  );

test('a visitor finds the contacts of the platform, each in a new tab', async () => {
  contacts();
  const { user } = openApp('/login', { token: null });
  await user.click(await screen.findByRole('button', { name: 'Customer service' }));
  const dialog = await screen.findByRole('dialog', { name: 'Customer service' });
  const inside = await within(dialog).findByRole('link', { name: /^Customer service 1 - Chat/ });
  expect(inside).toHaveAttribute('target', '_blank');
  expect(inside).toHaveAttribute('rel', expect.stringContaining('noopener'));
  expect(inside).toHaveTextContent('Mon–Fri, 9–18 CET · Within an hour');
  expect(inside).toHaveAttribute('href', 'https://support.example.com/chat?a=1&b=');
  expect(within(dialog).getByRole('link', { name: /^Customer service 2 - Messenger/ })).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(dialog).not.toBeInTheDocument());
});

test('the login says who resets a password', async () => {
  const { user } = openApp('/login', { token: null });
  await user.click(await screen.findByRole('button', { name: 'Forgot your password?' }));
  expect(await screen.findByText(/^Customer service resets a forgotten password/)).toBeVisible();
  expect(await screen.findByRole('link', { name: /^Customer service 1/ })).toHaveAttribute(
    'href',
    'https://support.example.com/chat?name=&about=Forgot%20your%20password%3F',
  );
});

test('a registration without a code leads to customer service and keeps what was typed', async () => {
  const { user } = openApp('/register', { token: null });
  await user.type(await screen.findByLabelText('Email'), 'alice@example.com');
  await user.click(screen.getByRole('button', { name: 'No authorisation code?' }));
  expect(await screen.findByText(/^Customer service gives you the authorisation code/)).toBeVisible();
  expect(screen.getByLabelText('Email')).toHaveValue('alice@example.com');
});

test('without contacts the dialog says so', async () => {
  server.use(http.get('*/api/basic_config', () => ok(basicConfig({ customer_service_url: [] }))));
  const { user } = openApp('/login', { token: null });
  await user.click(await screen.findByRole('button', { name: 'Customer service' }));
  expect(await screen.findByText('No contacts at the moment')).toBeVisible();
});

test('a blocked account reaches customer service and its message is still there after it', async () => {
  contacts();
  server.use(
    http.get('*/api/user/property', () =>
      refusal(403, 'Account disabled, contact customer service', { reason: 'ACCOUNT_DISABLED' }),
    ),
    http.get('*/api/user/info', () => refusal(403, 'Account disabled', { reason: 'ACCOUNT_DISABLED' })),
  );
  const { user } = openApp('/wallet');
  await user.click(await screen.findByRole('button', { name: 'Contact customer service' }));
  const dialog = await screen.findByRole('dialog', { name: 'Customer service' });
  // A blocked account cannot use the app's own contact page.
  expect(await within(dialog).findByRole('link', { name: /^Customer service 1 - Chat/ })).toBeVisible();
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await user.click(await screen.findByRole('button', { name: 'OK' }));
  expect(await screen.findByLabelText('Username')).toBeVisible();
  expect(sessionStore.get().token).toBeNull();
});

test('a user is named to customer service, with what it is about', async () => {
  server.use(http.get('*/api/user/property', () => ok(property({ withdraw_blocked_by: ['FORBIDDEN'] }))));
  server.use(http.get('*/api/user/info', () => ok(userInfo({ customer_service_url: [OUTSIDE] }))));
  const { user } = openApp('/wallet/withdraw');
  await user.click(await screen.findByRole('button', { name: 'Contact customer service' }));
  const dialog = await screen.findByRole('dialog', { name: 'Customer service' });
  expect(within(dialog).getByRole('link', { name: /Messenger/ })).toHaveAttribute(
    'href',
    'https://messenger.example.com/?name=demo&subject=Withdraw%3A%20Withdrawals%20are%20on%20hold',
  );
});
