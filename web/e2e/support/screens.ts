import type { Locator, Page } from '@playwright/test';
import { at } from '../../src/test/fixtures';
import { exchangeOrder } from '../../src/test/fixtures-exchange';
import { report, SHA256, totals } from '../../src/test/fixtures-reports';
import type { FixtureApp } from './fixture-app';
import type { Data } from './fixture-data';

/** What `open` may use. Texts come from the pack of the current language. */
export type Hands = { app: FixtureApp; page: Page; t: FixtureApp['t'] };

export type Screen = {
  name: string;
  path: string;
  visitor?: true;
  /** The state of the server. Default: plenty of everything. */
  data?: Extract<Data, 'usual' | 'empty' | 'failing'>;
  /** Only in a wide window. */
  desk?: true;
  /** Ends the session or needs its own user, so the app is reloaded for it. */
  alone?: true;
  /** Sets up the answers that the screen is about. */
  given?: (app: FixtureApp) => void;
  /** Opens a dialog or fills in a form, by roles and localized texts. */
  open?: (hands: Hands) => Promise<unknown>;
};

const BLOCKED = {
  start_up_funds_outstanding: '987654321.98',
  withdraw_blocked_by: [
    'PAY_PASSWORD_NOT_SET',
    'BANK_CARD_NOT_BOUND',
    'INSUFFICIENT_BALANCE',
    'START_UP_FUNDS_NOT_RETURNED',
  ],
};

const COOLING_OFF = {
  withdraw_blocked_by: ['WITHDRAWAL_COOLING_OFF'],
  withdrawal_available_at: at(68_400_000),
};

const OPEN_EXCHANGE = exchangeOrder({ expire_time: at(10_800_000) });

const PLAN = '/plan/detail?id=plan-1';

const REPORTS = '/plan/reports?id=plan-1';

const PRODUCT = '/plan/goods-detail?id=product-1';

const ENTRANCE: readonly Screen[] = [
  { name: 'login', path: '/login', visitor: true },
  { name: 'login with errors', path: '/login', visitor: true, open: submit },
  { name: 'register', path: '/register', visitor: true },
  { name: 'register with errors', path: '/register', visitor: true, open: submit },
  { name: 'welcome', path: '/ad-welcome?token=host', visitor: true },
  { name: 'welcome with errors', path: '/ad-welcome?token=host', visitor: true, open: submit },
  { name: 'welcome of a visitor', path: '/ad-welcome', visitor: true },
  { name: 'not found', path: '/404', visitor: true },
  {
    name: 'host entry',
    path: '/entry',
    alone: true,
    given: (app) => app.refuse('/user/info', 500, 'UNAVAILABLE'),
  },
  {
    name: 'expired host link',
    path: '/entry?token=header.claims.signature',
    alone: true,
    given: (app) => app.refuse('/auth/v2/host', 400, 'ASSERTION_REJECTED'),
  },
  ...['imprint', 'terms', 'privacy', 'fees'].map(
    (name): Screen => ({ name: `legal text: ${name}`, path: `/legal/${name}`, visitor: true }),
  ),
  { name: 'link of a mail', path: '/not-me?token=link', visitor: true },
  {
    name: 'payments stopped by mail',
    path: '/not-me?token=link',
    visitor: true,
    open: (hands) => press(hands, 'not_me.action'),
  },
  { name: 'expired link of a mail', path: '/not-me', visitor: true },
];

const AD_CENTRE: readonly Screen[] = [
  { name: 'ad centre', path: '/ad-center?range=week' },
  {
    name: 'first day',
    path: '/ad-center?range=month',
    data: 'usual',
    alone: true,
    given: (app) => {
      app.patch('/ad/order/data_statistics/list', {
        impressions: 0,
        clicks: 0,
        consumed: '0.00',
        series: [],
      });
      app.patch('/plan/order/list', { items: [], counts: { waiting: 0 } });
    },
  },
  {
    name: 'marked figures of the ad centre',
    path: '/ad-center',
    given: (app) =>
      app.patch('/ad/order/data_statistics/list', {
        estimated: { spend: '0.00', revenue: '120.50' },
        simulated: { impressions: 1_200, clicks: 24, spend: '31.00', revenue: '40.00' },
      }),
    open: unfold,
  },
  {
    name: 'chart as table',
    path: '/ad-center?range=week',
    open: ({ page }) => page.locator('main summary').last().click(),
  },
  { name: 'language', path: '/ad-center', open: (hands) => press(hands, 'header.language') },
  { name: 'logout', path: '/ad-center', open: (hands) => press(hands, 'header.logout') },
  { name: 'level', path: '/ad-center/level' },
  { name: 'follow', path: '/ad-center/operated' },
  { name: 'follow with errors', path: '/ad-center/operated', open: submit },
  { name: 'coupons', path: '/ad-center/coupons' },
  { name: 'used coupons', path: '/ad-center/coupons?state=used' },
  { name: 'activities', path: '/ad-center/activities' },
  { name: 'feedback', path: '/ad-center/feedback' },
  { name: 'feedback with errors', path: '/ad-center/feedback', open: submit },
  { name: 'question', path: '/ad-center/ques-detail?id=faq-1' },
  { name: 'unknown question', path: '/ad-center/ques-detail?id=none' },
  { name: 'operating rules', path: '/ad-center/ques-detail?id=operating-rules' },
  { name: 'customer page', path: '/customer?url=https%3A%2F%2Fchat.example.com%2F' },
  {
    name: 'customer page that does not load',
    path: '/customer?url=https%3A%2F%2Fchat.example.com%2F',
    alone: true,
    // Nothing outside this machine can be reached, so the browser's own page of an error counts as loaded.
    open: async ({ page, t }) => {
      await page.evaluate(() => {
        Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => false });
        window.dispatchEvent(new Event('offline'));
      });
      await page
        .getByRole('link', { name: t('customer.open_outside') })
        .first()
        .waitFor();
    },
  },
  { name: 'refused customer page', path: '/customer?url=https%3A%2F%2Felsewhere.example%2F' },
  { name: 'security', path: '/ad-center/security' },
  {
    name: 'address to confirm',
    path: '/ad-center/security',
    alone: true,
    given: (app) => app.patch('/user/info', { email_confirmed: false }),
    open: (hands) => press(hands, 'security.email.send'),
  },
  {
    name: 'end other sessions',
    path: '/ad-center/security',
    open: (hands) => press(hands, 'security.end_others'),
  },
  { name: 'notifications', path: '/notification' },
];

const ACCOUNT: readonly Screen[] = [
  { name: 'account', path: '/account' },
  {
    name: 'account of a host user',
    path: '/account',
    alone: true,
    given: (app) => app.patch('/user/info', { entry: 'host' }),
  },
  {
    name: 'blocked messages',
    path: '/account',
    alone: true,
    open: async ({ page, t }) => {
      await page.evaluate(() => {
        window.adfolioPage.permit('denied');
        window.dispatchEvent(new Event('visibilitychange'));
      });
      await page.getByText(t('push.denied')).waitFor();
    },
  },
  {
    name: 'profile',
    path: '/account',
    open: ({ page }) => page.locator('main button[class*="owner"]').click(),
  },
  {
    name: 'confirm identity',
    path: '/account',
    given: (app) => app.refuse('/user/info/edit', 400, 'STEP_UP_REQUIRED'),
    open: confirmIdentity,
  },
  {
    name: 'confirm identity in the host',
    path: '/account',
    alone: true,
    given: (app) => {
      app.refuse('/user/info/edit', 400, 'STEP_UP_REQUIRED');
      app.patch('/user/info', { entry: 'host' });
    },
    open: changeEmail,
  },
  { name: 'customer service', path: '/account', open: (hands) => press(hands, 'title.customer') },
];

const PLANS: readonly Screen[] = [
  { name: 'plans', path: '/plan' },
  { name: 'products', path: '/plan?products=open' },
  { name: 'plan', path: PLAN },
  {
    name: 'plan that learns',
    path: PLAN,
    given: (app) => {
      app.patch('/plan/order/pace', { state: 'behind' });
      app.patch('/plan/order/placements', { learning: { clicks: 12, of: 50 } });
    },
    open: showPlacing,
  },
  {
    name: 'plan that was never shown',
    path: PLAN,
    given: (app) => {
      app.patch('/plan/order/pace', { state: 'too_early' });
      app.patch('/plan/order/placements', { items: [], reported_until: null });
    },
  },
  {
    name: 'plan ahead',
    path: PLAN,
    given: (app) => app.patch('/plan/order/pace', { state: 'ahead' }),
  },
  {
    name: 'plan that has almost learned',
    path: PLAN,
    given: (app) => {
      app.patch('/plan/order/pace', { state: 'ended' });
      app.patch('/plan/order/placements', { learning: { clicks: 42, of: 50 }, reported_until: null });
    },
  },
  {
    name: 'plan without its pace',
    // Not seen before, or what is known of it would be shown.
    path: '/plan/detail?id=plan-5',
    given: (app) => {
      app.refuse('/plan/order/pace', 500, 'UNAVAILABLE');
      app.refuse('/plan/order/placements', 500, 'UNAVAILABLE');
    },
  },
  {
    name: 'plan without supply',
    path: PLAN,
    given: (app) => app.patch('/plan/order/detail', { no_supply_since: at(-10_800_000) }),
  },
  { name: 'plans of a figure', path: '/plan?figure=invested&range=last_7_days' },
  {
    name: 'plans of a figure without any',
    path: '/plan?figure=to_be_settled',
    given: (app) => app.patch('/plan/order/list', { items: [], sum: '0.00' }),
  },
  { name: 'matching plan', path: '/plan/detail?id=plan-3' },
  {
    name: 'matching plan without supply',
    path: '/plan/detail?id=plan-3',
    given: (app) => app.patch('/plan/order/detail', { no_supply_since: at(-10_800_000) }),
  },
  {
    name: 'cancel a plan',
    path: '/plan/detail?id=plan-3',
    open: (hands) => press(hands, 'plan.cancel'),
  },
  { name: 'failed plan', path: '/plan/detail?id=plan-6' },
  { name: 'delivery reports', path: REPORTS },
  { name: 'details of a report', path: REPORTS, open: unfold },
  {
    name: 'over-delivered plan',
    path: REPORTS,
    given: (app) =>
      app.patch('/plan/order/reports', {
        items: [report({ charged: '250.00', import: { time: at(0), sha256: SHA256, line: 1 } })],
        totals: totals({ reported: '1300.31' }),
      }),
    open: unfold,
  },
  { name: 'product', path: PRODUCT },
  { name: 'pushed plan', path: '/plan/goods-detail?id=product-2&plan=plan-2' },
  { name: 'product with errors', path: PRODUCT, open: submit },
  {
    name: 'coupon choice',
    path: PRODUCT,
    open: ({ page }) => page.locator('main button[class*="coupon"]').click(),
  },
  { name: 'review of an ad', path: `${PRODUCT}&amount=100`, open: submit },
  { name: 'password', path: `${PRODUCT}&amount=100`, open: givePassword },
];

const WALLET: readonly Screen[] = [
  { name: 'wallet', path: '/wallet' },
  { name: 'deposit', path: '/wallet', open: (hands) => press(hands, 'wallet.deposit') },
  { name: 'fund details', path: '/wallet/fund-details' },
  {
    name: 'movement',
    path: '/wallet/fund-details',
    open: ({ page }) => page.locator('main li button, main tbody button').first().click(),
  },
  { name: 'movement of a notice', path: '/wallet/fund-details?entry=flow-18' },
  { name: 'unknown movement', path: '/wallet/fund-details?entry=none' },
  { name: 'movements of running plans', path: '/wallet/fund-details?account=to_be_consumed' },
  { name: 'no movements', path: '/wallet/fund-details?type=exchange' },
  { name: 'by month', path: '/wallet/fund-details?view=monthly', open: unfold },
  { name: 'statement', path: '/wallet/fund-details?view=statement' },
  { name: 'withdraw', path: '/wallet/withdraw' },
  { name: 'withdraw with errors', path: '/wallet/withdraw', open: submit },
  { name: 'review of a withdrawal', path: '/wallet/withdraw?amount=100', open: submit },
  { name: 'pending withdrawal', path: '/wallet/withdraw?id=withdrawal-1' },
  {
    name: 'cancel a withdrawal',
    path: '/wallet/withdraw?id=withdrawal-1',
    open: (hands) => press(hands, 'withdraw.cancel'),
  },
  { name: 'withdrawals', path: '/wallet/withdraw?view=records' },
  {
    name: 'blocked withdrawal',
    path: '/wallet/withdraw',
    given: (app) => app.patch('/user/property', BLOCKED),
  },
  {
    name: 'withdrawal that cools off',
    path: '/wallet/withdraw',
    given: (app) => app.patch('/user/property', COOLING_OFF),
  },
  {
    name: 'start-up funds',
    path: '/wallet',
    given: (app) => app.patch('/user/property', BLOCKED),
    open: startUp,
  },
  {
    name: 'start-up funds that staff return',
    path: '/wallet',
    given: (app) => app.patch('/user/property', { ...BLOCKED, start_up_funds_returnable: false }),
    open: startUp,
  },
  {
    name: 'return of start-up funds',
    path: '/wallet',
    given: (app) => app.patch('/user/property', BLOCKED),
    open: async (hands) => {
      await startUp(hands);
      await submit(hands);
    },
  },
  { name: 'bound card', path: '/wallet/bind-card' },
  { name: 'another card', path: '/wallet/bind-card', open: (hands) => press(hands, 'bind.another') },
  { name: 'card form with errors', path: '/wallet/bind-card', open: cardForm },
  { name: 'bound address', path: '/wallet/bind-card?kind=wallet_address' },
  { name: 'set transaction password', path: '/wallet/set-password', data: 'usual' },
  { name: 'transaction password set already', path: '/wallet/set-password' },
  { name: 'change transaction password', path: '/ad-center/edit-pay-password' },
  { name: 'change login password', path: '/ad-center/edit-login-password' },
  { name: 'change login password with errors', path: '/ad-center/edit-login-password', open: submit },
];

const EXCHANGE: readonly Screen[] = [
  { name: 'foreign exchange', path: '/wallet/foreign-exchange' },
  {
    name: 'exchange',
    path: '/wallet/foreign-exchange',
    open: ({ page }) => page.locator('main li button').first().click(),
  },
  {
    name: 'exchange that lacks money',
    path: '/wallet/foreign-exchange',
    given: (app) =>
      app.patch('/acceptor/order/list', {
        items: [exchangeOrder({ status: 'expired', finish_time: at(0), missing: '100.00' })],
      }),
    open: ({ page }) => page.locator('main li button').first().click(),
  },
  {
    name: 'open exchange',
    path: '/wallet/foreign-exchange',
    given: (app) => app.patch('/acceptor/order/list', { items: [OPEN_EXCHANGE] }),
  },
  {
    name: 'call off an exchange',
    path: '/wallet/foreign-exchange',
    given: (app) => app.patch('/acceptor/order/list', { items: [OPEN_EXCHANGE] }),
    open: (hands) => press(hands, 'exchange.cancel'),
  },
  { name: 'exchange offer', path: '/wallet/foreign-exchange', open: findOffer },
  {
    name: 'exchange on hold',
    path: '/wallet/foreign-exchange',
    given: (app) => app.patch('/user/property', { ...BLOCKED, withdrawal_available_at: at(68_400_000) }),
    open: findHeldOffer,
  },
  { name: 'review of an exchange', path: '/wallet/foreign-exchange', open: reviewExchange },
];

const DESK: readonly Screen[] = [
  { name: 'two axes', path: '/ad-center?range=week&first=impressions&second=consumed', desk: true },
  {
    name: 'sorted plans',
    path: '/plan?sort=profit&order=asc&search=a&columns=result+coupon_share',
    desk: true,
  },
  { name: 'plans of a period', path: '/plan?period=last_7_days&push=official', desk: true },
  {
    name: 'plans of two days',
    path: '/plan?period=custom&from=2026-11-14&until=2026-11-18&status=putting',
    desk: true,
  },
  { name: 'columns', path: '/plan', desk: true, open: (hands) => press(hands, 'desk.columns') },
  { name: 'no plan found', path: '/plan?search=nothing&period=today', desk: true },
  { name: 'plan beside a filtered list', path: '/plan/detail?id=plan-4&status=settled', desk: true },
  { name: 'plan beside an empty list', path: '/plan/detail?id=plan-1&search=nothing', desk: true },
  { name: 'all movements', path: '/wallet/fund-details?account=all', desk: true },
  {
    name: 'movements of a month',
    path: '/wallet/fund-details?month=2026-11&account=to_be_consumed',
    desk: true,
  },
  {
    name: 'movement beside all others',
    path: '/wallet/fund-details?account=all',
    desk: true,
    open: ({ page }) => page.locator('main tbody button').last().click(),
  },
];

const STATES: readonly Screen[] = [
  ...[
    '/ad-center',
    '/plan',
    REPORTS,
    '/wallet/fund-details',
    '/wallet/fund-details?view=monthly',
    '/wallet/withdraw?view=records',
    '/wallet/bind-card',
    '/notification',
    '/ad-center/coupons',
    '/ad-center/operated',
    '/ad-center/security',
    '/wallet/foreign-exchange',
  ].map((path): Screen => ({ name: `nothing yet: ${path}`, path, data: 'empty' })),
  ...[
    '/ad-center',
    '/plan/detail?id=plan-1',
    REPORTS,
    '/wallet',
    '/wallet/withdraw',
    '/ad-center/operated',
    '/ad-center/security',
  ].map((path): Screen => ({ name: `failed: ${path}`, path, data: 'failing' })),
  {
    name: 'session expired',
    path: '/wallet',
    alone: true,
    given: (app) => app.refuse('/user/property', 503, 'SESSION_EXPIRED'),
  },
  {
    name: 'account disabled',
    path: '/wallet',
    alone: true,
    given: (app) => app.refuse('/user/property', 403, 'ACCOUNT_DISABLED'),
  },
];

/** Every screen and everything that opens on it. A test fails while a route is missing here. */
export const SCREENS: readonly Screen[] = [
  ...ENTRANCE,
  ...AD_CENTRE,
  ...ACCOUNT,
  ...PLANS,
  ...WALLET,
  ...EXCHANGE,
  ...DESK,
  ...STATES,
];

/** From this width on the app is laid out for a desk. */
const DESK_PX = 1024;

/** The screens that a window of this width can show. */
export function screensAt(width: number): readonly Screen[] {
  return SCREENS.filter(({ desk }) => !desk || width >= DESK_PX);
}

/** The topmost open dialog, else the page. */
async function top({ page }: Hands): Promise<Locator> {
  const dialogs = page.locator('dialog[open]');
  return (await dialogs.count()) > 0 ? dialogs.last() : page.locator('main');
}

async function press(hands: Hands, key: string): Promise<void> {
  const name = hands.t(key);
  await hands.page.getByRole('button', { name, exact: true }).first().click();
}

/** Submits the form of the page or dialog as it is. */
async function submit(hands: Hands): Promise<void> {
  await (await top(hands)).locator('button[type="submit"]').first().click();
}

async function unfold({ page }: Hands): Promise<void> {
  await page.locator('main summary').first().click();
}

/** All placements, what their figures mean, and the pace as a table. */
async function showPlacing({ page }: Hands): Promise<void> {
  await page.locator('main button[aria-expanded="false"]').click();
  for (const summary of await page.locator('main summary').all()) await summary.click();
}

/** Goes from the review to the password and enters a wrong one. */
async function givePassword(hands: Hands): Promise<void> {
  const { app, page } = hands;
  app.refuse('/check/password', 400, 'WRONG_PAY_PASSWORD');
  await submit(hands);
  await page.locator('dialog[open] [class*="foot"] button').last().click();
  await page.locator('dialog[open] input').fill('123456');
  await submit(hands);
  await page.locator('dialog[open] [aria-invalid="true"]').waitFor();
}

async function startUp({ page }: Hands): Promise<void> {
  await page.locator('main [class*="lent"] button').click();
}

async function cardForm(hands: Hands): Promise<void> {
  await press(hands, 'bind.another');
  await hands.page.locator('dialog[open] [class*="foot"] button').last().click();
  await hands.page.locator('dialog[open]').waitFor({ state: 'detached' });
  await submit(hands);
}

async function findOffer(hands: Hands): Promise<void> {
  const code = hands.page.locator('main input[name="code"]');
  const amount = hands.page.locator('main input[name="amount"]');
  await code.or(amount).first().waitFor();
  if (await amount.isVisible()) return;
  await code.fill('DEMO-PERSONAL');
  await submit(hands);
  await amount.waitFor();
}

async function findHeldOffer(hands: Hands): Promise<void> {
  const code = hands.page.locator('main input[name="code"]');
  const steps = hands.page.locator('main section section ol');
  await code.or(steps).first().waitFor();
  if (await steps.isVisible()) return;
  await code.fill('DEMO-PERSONAL');
  await submit(hands);
  await steps.waitFor();
}

async function changeEmail({ page }: Hands): Promise<void> {
  await page.locator('main button[class*="owner"]').click();
  await page.locator('dialog[open] input[name="email"]').fill('new@example.com');
  await page.locator('dialog[open] button[type="submit"]').click();
  await page.locator('dialog[open]').nth(1).waitFor();
}

/** Up to a wrong login password. */
async function confirmIdentity(hands: Hands): Promise<void> {
  await changeEmail(hands);
  hands.app.refuse('/user/step_up', 400, 'WRONG_PASSWORD');
  await hands.page.locator('dialog[open] input[name="password"]').fill('not the password');
  await submit(hands);
  await hands.page.locator('dialog[open] input[name="password"][aria-invalid="true"]').waitFor();
}

async function reviewExchange(hands: Hands): Promise<void> {
  await findOffer(hands);
  await hands.page.locator('main input[name="amount"]').fill('100');
  await submit(hands);
}
