import { screen, waitFor, within } from '@testing-library/react';
import { delay, http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { newUserClaimable } from '@/test/fixtures-account';
import { server } from '@/test/server';

const PLANS = '*/api/plan/order/list';
const STATISTICS = '*/api/ad/order/data_statistics/list';

test('shows the figures of today and where they lead', async () => {
  openApp('/ad-center');
  expect(await screen.findByText('+334.35')).toBeVisible();
  expect(screen.getByText('2.10%')).toBeVisible();
  expect(screen.getByText('1.20×')).toBeVisible();
  expect(screen.getByRole('link', { name: 'Delivery orders' })).toHaveAttribute(
    'href',
    '#/plan?figure=delivery_orders',
  );
  expect(await screen.findByRole('link', { name: 'Notifications, 2 unread' })).toBeVisible();
});

test('each figure is compared with the period before, unless that had none', async () => {
  const { previous } = fixtures.statistics();
  server.use(
    http.get(STATISTICS, ({ request }) => {
      const isAll = new URL(request.url).searchParams.get('type') === '4';
      const before = previous && { ...previous, consumed: '1500.00', revenue: '0.00', clicks: 1_100 };
      return ok(fixtures.statistics({ consumed: '1680.00', previous: isAll ? null : before }));
    }),
  );
  const { user } = openApp('/ad-center');
  expect(await screen.findByText('+12% vs yesterday by now')).toBeVisible();
  expect(screen.getByText('+24% vs yesterday by now')).toBeVisible();
  expect(screen.getByText('−8% vs yesterday by now')).toBeInTheDocument();
  expect(screen.getAllByText(/vs yesterday by now$/)).toHaveLength(6);
  await user.click(screen.getByRole('tab', { name: 'All' }));
  await waitFor(() => expect(screen.queryByText(/ vs /)).not.toBeInTheDocument());
});

test('it says until when networks have reported, each on demand', async () => {
  const reported_until = [
    { source: 'nordmedia', time: '2026-11-20T14:13:00.000Z' },
    { source: 'simulator', time: '2026-11-19T09:00:00.000Z' },
  ];
  server.use(http.get(STATISTICS, () => ok(fixtures.statistics({ reported_until }))));
  const { user, unmount } = openApp('/ad-center');
  await user.click(await screen.findByText(/^Reported until Nov 20/));
  expect(screen.getByText('nordmedia')).toBeVisible();
  expect(screen.getByText('Simulator')).toBeVisible();
  unmount();
  server.use(http.get(STATISTICS, () => ok(fixtures.statistics({ reported_until: [] }))));
  openApp('/ad-center');
  expect(await screen.findByText('No delivery report yet')).toBeVisible();
});

test('sums with estimated or simulated shares are marked, and name the shares', async () => {
  const { unmount } = openApp('/ad-center');
  expect(await screen.findByText('+334.35')).toBeVisible();
  expect(screen.queryByText('*')).not.toBeInTheDocument();
  unmount();
  server.use(
    http.get(STATISTICS, () =>
      ok(
        fixtures.statistics({
          estimated: { spend: '0.00', revenue: '12.50' },
          simulated: { impressions: 1_200, clicks: 0, spend: '3.00', revenue: '0.00' },
        }),
      ),
    ),
  );
  openApp('/ad-center');
  expect(await screen.findByText('Of this, estimated: Ad revenue 12.50')).toBeVisible();
  expect(screen.getByText('Of this, simulated: Consumed 3.00 · Impressions 1,200')).toBeVisible();
  // Consumed, revenue, profit and impressions.
  expect(screen.getAllByText('*', { selector: 'sup' })).toHaveLength(4);
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

test('the range stays over a visit to other pages, and leads on with the figures', async () => {
  const { user } = openApp('/ad-center');
  await user.click(await screen.findByRole('tab', { name: '7 days' }));
  const invested = await screen.findByRole('link', { name: 'Amount invested' });
  expect(invested).toHaveAttribute('href', '#/plan?figure=invested&range=last_7_days');
  await user.click(invested);
  expect(await screen.findByText(/^Amount invested: /)).toBeVisible();
  expect(screen.getByText('7 days')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Back' }));
  expect(await screen.findByRole('tab', { name: '7 days', selected: true })).toBeVisible();
  await waitFor(() => expect(address()).toBe('/ad-center?range=last_7_days'));
  await user.click(screen.getByRole('tab', { name: 'Today' }));
  expect(address()).toBe('/ad-center');
  expect(screen.getByRole('tab', { name: 'Today', selected: true })).toBeVisible();
});

test('the tabs are walked with the arrow keys', async () => {
  const { user } = openApp('/ad-center?range=month');
  const month = await screen.findByRole('tab', { name: 'This month', selected: true });
  month.focus();
  await user.keyboard('{ArrowRight}');
  expect(screen.getByRole('tab', { name: '7 days', selected: true })).toHaveFocus();
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

const HOUR = 3_600_000;

test('the hour that is not over is marked, hours to come are left out', async () => {
  const thisHour = Math.floor(Date.now() / HOUR) * HOUR;
  const series = fixtures.series(5, HOUR).map((point, index) => ({
    ...point,
    time: new Date(thisHour + (index - 2) * HOUR).toISOString(),
  }));
  server.use(http.get(STATISTICS, () => ok(fixtures.statistics({ series, bucket: 'hour' }))));
  openApp('/ad-center');
  const chart = await screen.findByRole('slider', { name: 'Money over time' });
  expect(chart).toHaveAttribute('aria-valuemax', '3');
  expect(chart.getAttribute('aria-valuetext')).toMatch(/, so far, Ad revenue/);
  expect(screen.getByText('So far')).toBeVisible();
});

test('a single point is a bar, named by the bucket that the server gives', async () => {
  const series = fixtures.series(1, HOUR);
  server.use(http.get(STATISTICS, () => ok(fixtures.statistics({ series, bucket: 'month' }))));
  openApp('/ad-center');
  const chart = await screen.findByRole('slider', { name: 'Money over time' });
  expect(chart.getAttribute('aria-valuetext')).toMatch(/^Nov 2026/);
  expect(chart.querySelectorAll('rect')).toHaveLength(2);
});

test('logging out asks first, then forgets the session', async () => {
  const { user } = openApp('/ad-center');
  await user.click(await screen.findByRole('button', { name: 'Log out' }));
  const dialog = await screen.findByRole('dialog', { name: 'Log out?' });
  await user.click(within(dialog).getByRole('button', { name: 'Log out' }));
  expect(await screen.findByLabelText('Username')).toBeVisible();
  expect(localStorage.getItem('adfolio.token')).toBeNull();
});

/** An account that nothing was delivered for, and what it has done so far. */
function newAccount({ claimed = false, assets = '0.00', counts = {}, secured = false } = {}) {
  const nothing = { impressions: 0, clicks: 0, consumed: '0.00', series: [] };
  server.use(
    http.get(STATISTICS, () => ok(fixtures.statistics(nothing))),
    http.get(PLANS, () => ok({ items: [], next_cursor: null, counts })),
    http.get('*/api/user_coupon/list', () =>
      ok({
        items: [],
        next_cursor: null,
        counts: { unused: 0, used: 0, expired: 0 },
        claimable: [{ ...newUserClaimable, claimed }],
      }),
    ),
    http.get('*/api/user/property', () => ok(fixtures.property({ total_assets: assets }))),
    http.get('*/api/user/info', () => ok(fixtures.userInfo({ has_pay_password: secured }))),
  );
}

const firstSteps = () => screen.findByRole('region', { name: 'Start in four steps' });

test('a new account sees its first steps, each leads to its page', async () => {
  newAccount();
  const { user } = openApp('/ad-center');
  const card = await firstSteps();
  const steps = within(card).getAllByRole('listitem');
  expect(steps.map(({ textContent }) => textContent)).toEqual([
    '1Claim the new-user coupon',
    '2Deposit',
    '3Place an ad',
    '4Set transaction password',
  ]);
  expect(
    within(card)
      .getAllByRole('link')
      .map((link) => link.getAttribute('href')),
  ).toEqual(['#/ad-center/activities', '#/plan?products=open', '#/wallet/set-password']);
  expect(screen.getByRole('tab', { name: 'Today' })).toBeVisible();
  await user.click(within(card).getByRole('button', { name: 'Deposit' }));
  expect(await screen.findByRole('dialog', { name: 'Deposit' })).toBeVisible();
});

test('done steps are ticked', async () => {
  newAccount({ claimed: true, assets: '20.00', counts: { waiting: 1, matching: 1 } });
  openApp('/ad-center');
  const card = await firstSteps();
  await waitFor(() => expect(within(card).getAllByText('Done')).toHaveLength(3));
  expect(within(card).getAllByRole('link')).toHaveLength(1);
  expect(within(card).getByRole('link', { name: 'Set transaction password' })).toBeVisible();
});

test('after the first delivery report there are only figures, also on a day without any', async () => {
  const types: (string | null)[] = [];
  server.use(
    http.get(STATISTICS, ({ request }) => {
      const type = new URL(request.url).searchParams.get('type');
      types.push(type);
      const isEver = type === '4';
      return ok(fixtures.statistics(isEver ? {} : { impressions: 0, consumed: '0.00', profit: '0.07' }));
    }),
  );
  openApp('/ad-center');
  expect(await screen.findByText('+0.07')).toBeVisible();
  expect(screen.queryByText('Start in four steps')).not.toBeInTheDocument();
  expect(types).toEqual(['1', '4']);
});

test('figures that show delivery need no second question', async () => {
  const types: (string | null)[] = [];
  server.use(
    http.get(STATISTICS, ({ request }) => {
      types.push(new URL(request.url).searchParams.get('type'));
      return ok(fixtures.statistics());
    }),
  );
  openApp('/ad-center');
  expect(await screen.findByText('+334.35')).toBeVisible();
  expect(types).toEqual(['1']);
});

test('a plan that waits stands on top with the date by which it must be put', async () => {
  openApp('/ad-center');
  const hint = await screen.findByRole('link', { name: /^1 plan waits for your amount/ });
  expect(hint).toHaveAttribute('href', '#/plan?status=waiting');
  expect(hint).toHaveTextContent(/Put it by Nov 25/);
  const tab = screen.getByRole('tab', { name: 'Today' });
  expect(hint.compareDocumentPosition(tab)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});

test('a plan that never expires says who decides, and with nothing waiting nothing is said', async () => {
  const waits = fixtures.plan({ status: 'waiting', official: true, expire_time: null });
  server.use(http.get(PLANS, () => ok({ items: [waits], next_cursor: null, counts: { waiting: 1 } })));
  const { unmount } = openApp('/ad-center');
  expect(await screen.findByText('You decide about every amount')).toBeVisible();
  unmount();
  server.use(http.get(PLANS, () => ok({ items: [], next_cursor: null, counts: {} })));
  openApp('/ad-center');
  expect(await screen.findByText('+334.35')).toBeVisible();
  expect(screen.queryByText(/waits? for your amount/)).not.toBeInTheDocument();
});

test('figures are shown though the waiting plans cannot be loaded', async () => {
  server.use(http.get(PLANS, () => refusal(500, 'Server error')));
  openApp('/ad-center');
  expect(await screen.findByText('+334.35')).toBeVisible();
});
