import { screen, within } from '@testing-library/react';
import { delay, http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { basicConfig } from '@/test/fixtures-platform';
import { server } from '@/test/server';

const CONFIG = '*/api/basic_config';
const USER = '*/api/user/info';
const STATISTICS = '*/api/ad/order/data_statistics/list';

test('shows the figures of today and where they lead', async () => {
  openApp('/ad-center');
  expect(await screen.findByText('+334.35')).toBeVisible();
  expect(screen.getByText('2.10%')).toBeVisible();
  expect(screen.getByText(/^Updated /)).toBeVisible();
  expect(screen.getByRole('link', { name: 'Delivery orders' })).toHaveAttribute(
    'href',
    '#/plan?status=putting',
  );
  expect(await screen.findByText('Demo Advertiser')).toBeVisible();
  expect(await screen.findByRole('link', { name: 'Notifications, 2 unread' })).toBeVisible();
});

test('a change of range is in the address, keeps the old figures and marks them busy', async () => {
  server.use(
    http.get(STATISTICS, async ({ request }) => {
      const week = new URL(request.url).searchParams.get('type') === '2';
      if (week) await delay(100);
      return ok(fixtures.statistics({ profit: week ? '1000.00' : '334.35' }));
    }),
  );
  const { user } = openApp('/ad-center');
  await screen.findByText('+334.35');
  await user.click(screen.getByRole('tab', { name: 'This week' }));
  expect(address()).toBe('/ad-center?range=week');
  expect(screen.getByText('+334.35')).toBeVisible();
  expect(screen.getByRole('tabpanel', { name: 'This week' })).toHaveAttribute('aria-busy', 'true');
  expect(await screen.findByText('+1,000.00')).toBeVisible();
});

test('the tabs are walked with the arrow keys', async () => {
  const { user } = openApp('/ad-center?range=month');
  const month = await screen.findByRole('tab', { name: 'This month', selected: true });
  month.focus();
  await user.keyboard('{ArrowRight}');
  expect(screen.getByRole('tab', { name: 'All', selected: true })).toHaveFocus();
});

test('says that it loads, and when it cannot, why, with another try in place', async () => {
  let broken = true;
  server.use(http.get(STATISTICS, () => (broken ? refusal(500, 'Server error') : ok(fixtures.statistics()))));
  const { user } = openApp('/ad-center');
  const alert = await screen.findByText('Could not load this');
  expect(screen.getByText('Server error')).toBeVisible();
  broken = false;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('+334.35')).toBeVisible();
  expect(alert).not.toBeInTheDocument();
});

test('without delivery it says when figures come, and a rate of nothing is no figure', async () => {
  server.use(
    http.get(STATISTICS, () =>
      ok(fixtures.statistics({ series: [], ctr: null, cpc: null, roas: null, profit: '0.00' })),
    ),
  );
  openApp('/ad-center');
  expect(await screen.findByText('No delivery in this period')).toBeVisible();
  expect(screen.getAllByText('–')).toHaveLength(3);
});

test('the chart tells its points to the keyboard and as a table', async () => {
  const { user } = openApp('/ad-center');
  const chart = await screen.findByRole('slider', { name: 'Money over time' });
  chart.focus();
  await user.keyboard('{Home}');
  expect(chart).toHaveAttribute('aria-valuenow', '1');
  expect(chart.getAttribute('aria-valuetext')).toMatch(/Ad revenue [\d,.]+, Consumed [\d,.]+$/);
  await user.click(screen.getByText('Show as table'));
  const table = screen.getByRole('table');
  expect(within(table).getAllByRole('row')).toHaveLength(16);
});

test('logging out asks first, then forgets the session', async () => {
  const { user } = openApp('/ad-center');
  await user.click(await screen.findByRole('button', { name: 'Log out' }));
  const dialog = await screen.findByRole('dialog', { name: 'Log out?' });
  await user.click(within(dialog).getByRole('button', { name: 'Log out' }));
  expect(await screen.findByLabelText('Username')).toBeVisible();
  expect(localStorage.getItem('adfolio.token')).toBeNull();
});

test('the ad centre leads to everything that belongs to the account', async () => {
  openApp('/ad-center');
  const benefits = await screen.findByRole('region', { name: 'Benefits and plans' });
  await within(benefits).findByText('Level 3');
  const hrefs = (region: HTMLElement) =>
    within(region)
      .getAllByRole('link')
      .map((link) => link.getAttribute('href'));
  expect(hrefs(benefits)).toEqual([
    '#/ad-center/coupons',
    '#/ad-center/activities',
    '#/ad-center/level',
    '#/ad-center/operated',
  ]);
  const security = screen.getByRole('region', { name: 'Security and support' });
  expect(hrefs(security)).toEqual([
    '#/ad-center/security',
    '#/ad-center/edit-login-password',
    '#/wallet/set-password',
    '#/ad-center/feedback',
  ]);
  expect(within(security).getByText('Not set yet')).toBeVisible();
  expect(await screen.findByText('A network that reaches over 3 billion users')).toBeVisible();
  const hint = await screen.findByRole('link', { name: /^1 plan waits for your amount/ });
  expect(hint).toHaveAttribute('href', '#/plan?status=waiting');
});

test('a set transaction password is changed, not set; with nothing waiting nothing is said', async () => {
  server.use(
    http.get(USER, () => ok(fixtures.userInfo({ has_pay_password: true, vip: true }))),
    http.post('*/api/plan/order/await/put/count', () => ok({ count: 0 })),
    http.get(CONFIG, () => ok(basicConfig({ marketing: null }))),
  );
  openApp('/ad-center');
  expect(await screen.findByText('VIP')).toBeVisible();
  expect(screen.getByRole('link', { name: 'Transaction password' })).toHaveAttribute(
    'href',
    '#/ad-center/edit-pay-password',
  );
  expect(await screen.findByRole('link', { name: 'How do I use a coupon?' })).toBeVisible();
  expect(screen.queryByText(/waits? for your amount/)).not.toBeInTheDocument();
});

test('customer service opens from the menu', async () => {
  const { user } = openApp('/ad-center');
  await user.click(await screen.findByRole('button', { name: 'Customer service' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toBeVisible();
});

test('questions that cannot be loaded can be asked for again', async () => {
  let isBroken = true;
  server.use(http.get(CONFIG, () => (isBroken ? refusal(500, 'Server error') : ok(basicConfig()))));
  const { user } = openApp('/ad-center');
  const retry = await screen.findByRole('button', { name: 'Try again' });
  isBroken = false;
  await user.click(retry);
  expect(await screen.findByRole('region', { name: 'Frequent questions' })).toBeVisible();
});
