import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { basicConfig } from '@/test/fixtures-platform';
import { server } from '@/test/server';

const CONFIG = '*/api/basic_config';
const USER = '*/api/user/info';

const hrefs = (region: HTMLElement) =>
  within(region)
    .getAllByRole('link')
    .map((link) => link.getAttribute('href'));

test('the fourth tab leads to everything that belongs to the account', async () => {
  const { user } = openApp('/ad-center');
  const tabs = await screen.findByRole('navigation', { name: 'Main pages' });
  expect(hrefs(tabs)).toEqual(['#/ad-center', '#/plan', '#/wallet', '#/account']);
  await user.click(within(tabs).getByRole('link', { name: 'Account' }));
  const benefits = await screen.findByRole('region', { name: 'Benefits and plans' });
  expect(within(tabs).getByRole('link', { name: 'Account' })).toHaveAttribute('aria-current', 'page');
  expect(await screen.findByText('Demo Advertiser')).toBeVisible();
  await within(benefits).findByText('Level 3');
  expect(hrefs(benefits)).toEqual([
    '#/ad-center/level',
    '#/ad-center/coupons',
    '#/ad-center/activities',
    '#/ad-center/operated',
  ]);
  const security = await screen.findByRole('region', { name: 'Login and security' });
  expect(hrefs(security)).toEqual([
    '#/ad-center/security',
    '#/ad-center/edit-login-password',
    '#/wallet/set-password',
  ]);
  expect(within(security).getByText('Not set yet')).toBeVisible();
  expect(hrefs(screen.getByRole('region', { name: 'Help' }))).toEqual(['#/ad-center/feedback']);
  expect(await screen.findByText('A network that reaches over 3 billion users')).toBeVisible();
  expect(await screen.findByRole('link', { name: 'Operating rules' })).toBeVisible();
});

test('a page that the account leads to is marked as part of it', async () => {
  openApp('/ad-center/level');
  const tabs = await screen.findByRole('navigation', { name: 'Main pages' });
  const current = within(tabs)
    .getAllByRole('link')
    .filter((link) => link.hasAttribute('aria-current'));
  expect(current.map((link) => link.getAttribute('href'))).toEqual(['#/account']);
});

test('a set transaction password is changed, not set', async () => {
  server.use(
    http.get(USER, () => ok(fixtures.userInfo({ has_pay_password: true, vip: true }))),
    http.get(CONFIG, () => ok(basicConfig({ marketing: null }))),
  );
  openApp('/account');
  expect(await screen.findByText('VIP')).toBeVisible();
  expect(await screen.findByRole('link', { name: 'Transaction password' })).toHaveAttribute(
    'href',
    '#/ad-center/edit-pay-password',
  );
  expect(await screen.findByRole('link', { name: 'How do I use a coupon?' })).toBeVisible();
});

test('customer service opens from the menu', async () => {
  const { user } = openApp('/account');
  await user.click(await screen.findByRole('button', { name: 'Customer service' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toBeVisible();
});

test('questions that cannot be loaded can be asked for again', async () => {
  let isBroken = true;
  server.use(http.get(CONFIG, () => (isBroken ? refusal(500, 'Server error') : ok(basicConfig()))));
  const { user } = openApp('/account');
  const retry = await screen.findByRole('button', { name: 'Try again' });
  isBroken = false;
  await user.click(retry);
  expect(await screen.findByRole('region', { name: 'Frequent questions' })).toBeVisible();
});

test('the language is changed from the account', async () => {
  const { user } = openApp('/account');
  await user.click(await screen.findByRole('button', { name: 'Language English' }));
  const sheet = await screen.findByRole('dialog', { name: 'Language' });
  await user.click(within(sheet).getByRole('option', { name: 'Deutsch' }));
  await user.click(within(sheet).getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByRole('button', { name: 'Sprache Deutsch' })).toBeVisible();
});

test('logging out from the account asks first', async () => {
  const { user } = openApp('/account');
  await user.click(await screen.findByRole('button', { name: 'Log out' }));
  const dialog = await screen.findByRole('dialog', { name: 'Log out?' });
  await user.click(within(dialog).getByRole('button', { name: 'Log out' }));
  await waitFor(() => expect(address()).toBe('/login'));
});

test('a user of a host app cannot log out here', async () => {
  server.use(http.get(USER, () => ok(fixtures.userInfo({ entry: 'host' }))));
  openApp('/account');
  expect(await screen.findByRole('button', { name: 'Language English' })).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Log out' })).not.toBeInTheDocument());
});
