import { type Browser, expect, type Page, test } from '@playwright/test';
import type { components } from '../src/lib/api/schema';
import { Api, newAdvertiser, uniqueName } from './support/api';
import { openAs, settled, shown, shownSigned } from './support/app';
import {
  cents,
  decimal,
  hasImpressions,
  IMPRESSIONS_CSV,
  type Impression,
  loadImpressions,
  type Pricing,
  rowsOf,
  type Sums,
  sumsOf,
} from './support/impressions';
import { enterPayPassword, setPayPassword } from './support/pay-password';
import { importReports } from './support/plans';

type Plan = components['schemas']['Plan'];
type PlanPage = components['schemas']['PlanPage'];

const DEPOSIT = '5000.00';
const PUT = '100.00';
const PRICINGS: readonly Pricing[] = [
  { model: 'cpm', cost: '2.50', revenue: '3.75' },
  { model: 'cpm', cost: '1.10', revenue: '0.90' },
  { model: 'cpc', cost: '0.35', revenue: '0.555' },
];

// One zone without daylight saving, one off the hour, one with daylight saving.
const TIME_ZONES = ['Asia/Shanghai', 'Asia/Kathmandu', 'America/New_York'];
const RANGES = ['today', 'week', 'month', 'all'] as const;

const priceOf = (row: Impression): Pricing => PRICINGS[row.item % PRICINGS.length] as Pricing;

test('from registration to the last cent', async ({ page, browser }) => {
  test.skip(
    !hasImpressions(),
    `needs the real impressions at ${IMPRESSIONS_CSV} (set ADFOLIO_IMPRESSIONS_CSV)`,
  );
  test.setTimeout(300_000);
  const staff = await Api.staff();

  const token = await register(page, await staff.demoLicense());
  const advertiser = await Api.withToken(token);
  await creditDeposit(page, staff, advertiser);
  await putThreePlans(page);
  const { items: placed } = await advertiser.get<PlanPage>('/plan/order/list');
  // The list is newest first; items go to the plans in the order of their placing.
  const plans = placed.toReversed();

  const landed = await importImpressions(staff, plans);
  await adCentreShowsTheFile(browser, token, landed);
  const sums = await plansShowTheFile(page, plans, landed);

  for (const { id } of plans) {
    await staff.post('/admin/plan/finish', { id, outcome: 'put_finished', reason: 'end of the flight' });
    await staff.post('/admin/plan/settle', { id });
  }
  await walletAddsUp(page, sums);
  await noticesCame(page);
  const { ok } = await staff.get<{ ok: boolean }>('/admin/wallet/reconcile');
  expect(ok, 'the books balance').toBe(true);
});

test('a put with a coupon is delivered, finished and paid out in proportion', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  await staff.deposit(user.id, '1000.00');
  await setPayPassword(api);

  await openAs(page, api.token, '/ad-center/coupons');
  await page.getByRole('button', { name: 'Claim New-user support' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Claimed successfully' })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Unused 1' })).toBeVisible();

  await page.goto('/#/plan?products=open');
  await page.getByRole('dialog').getByRole('link').first().click();
  await page.getByLabel('Put amount').fill('200');
  await page.getByRole('button', { name: /^Coupon/ }).click();
  await page.getByRole('radio', { name: /^New-user support/ }).check();
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('button', { name: 'Review' }).click();
  const sheet = page.getByRole('dialog', { name: 'Review your order' });
  await expect(sheet).toContainText('You pay180.00');
  await expect(sheet).toContainText('Available after820.00');
  await sheet.getByRole('button', { name: 'Place ad' }).click();
  await (await enterPayPassword(page)).click();
  await expect(page.getByRole('region', { name: 'Order' })).toContainText('New-user support20.00');

  const { items } = await api.get<PlanPage>('/plan/order/list');
  const plan = items[0];
  if (!plan) throw new Error('no plan');
  const result = await importReports(staff, [
    { id: '1', plan: plan.plan_number, figures: [1000, 10, '50.00', '60.00'] },
    { id: '2', plan: 'NOPE', figures: [1, 0, '0', '0'] },
  ]);
  expect(result).toMatchObject({ read: 2, applied: 1, rejected: [{ line: 3 }] });

  await page.goto('/#/ad-center?range=all');
  await expect(page.getByRole('region', { name: 'Money' })).toContainText('+10.00');
  await page.getByRole('link', { name: 'Amount invested' }).click();
  await expect(page.getByText(/^Amount invested: /)).toBeVisible();
  await page.getByRole('link', { name: 'All plans' }).click();
  await page.getByRole('tab', { name: 'Putting 1' }).click();
  await expect(page.getByText('25%')).toBeVisible();

  await staff.post('/admin/plan/finish', {
    id: plan.id,
    outcome: 'put_finished',
    reason: 'end of the flight',
  });
  await staff.post('/admin/plan/settle', { id: plan.id });
  await page.goto('/#/wallet');
  await page.reload();
  // Nine tenths of the unspent 150.00 were the user's own money; 60.00 came in.
  await expect(page.getByRole('region', { name: 'Total assets' })).toContainText('Available funds1,015.00');
});

async function register(page: Page, licenseKey: string): Promise<string> {
  await page.goto('/');
  await page.getByRole('link', { name: 'Create account' }).click();
  // The login stays until the next page arrives, and it has a username field, too.
  await expect(page).toHaveURL(/#\/register$/);
  await expect(page.getByLabel('Authorisation code')).toBeVisible();
  await page.getByLabel('Username').fill(uniqueName());
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await page.getByLabel('Confirm password').fill('correct horse battery');
  await page.getByLabel('Nickname').fill('Journey Ltd');
  await page.getByLabel('Email').fill('journey@example.com');
  await page.getByLabel('Phone').fill('+49 151 2345678');
  await page.getByLabel('Authorisation code').fill(licenseKey);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page).toHaveURL(/#\/ad-center$/);
  await expect(page.getByRole('region', { name: 'Start in four steps' })).toBeVisible();
  const token = await page.evaluate(() => localStorage.getItem('adfolio.token'));
  expect(token).toBeTruthy();
  return token ?? '';
}

async function creditDeposit(page: Page, staff: Api, advertiser: Api): Promise<void> {
  const user = await advertiser.get<components['schemas']['UserInfo']>('/user/info');
  await staff.deposit(user.id, DEPOSIT);
  await page.getByRole('link', { name: 'Wallet' }).click();
  await expect(page.getByRole('region', { name: 'Total assets' })).toContainText(shown(DEPOSIT));
  await page.getByRole('link', { name: 'Fund details' }).click();
  await expect(page.getByRole('main')).toContainText('Deposit');
  await expect(page.getByRole('main')).toContainText(shownSigned(DEPOSIT));
  await page.getByRole('button', { name: 'Back' }).click();
}

/** Checks the review of the first plan closely and places the others quickly. */
async function putThreePlans(page: Page): Promise<void> {
  for (let number = 0; number < PRICINGS.length; number += 1) {
    await page.goto('/#/plan?products=open');
    await page.getByRole('dialog', { name: 'Choose a product' }).getByRole('link').nth(number).click();
    await expect(page.getByText('Available funds')).toBeVisible();
    await page.getByLabel('Put amount').fill(PUT);
    await page.getByRole('button', { name: 'Review' }).click();
    const sheet = page.getByRole('dialog', { name: 'Review your order' });
    const before = decimal(cents(DEPOSIT) - BigInt(number) * cents(PUT));
    const after = decimal(cents(before) - cents(PUT));
    await expect(sheet).toContainText(`Available now${shown(before)}`);
    await expect(sheet).toContainText(`Available after${shown(after)}`);
    // Tapped twice but placed once, as the wallet below shows.
    await sheet.getByRole('button', { name: 'Place ad' }).dblclick();
    await expect(page).toHaveURL(/#\/plan\/detail\?id=/);
    await expect(page.getByRole('listitem').filter({ hasText: 'Matching' })).toHaveAttribute(
      'aria-current',
      'step',
    );
  }
  await page.goto('/#/wallet');
  await expect(page.getByRole('region', { name: 'Total assets' })).toContainText(shown(DEPOSIT));
  await expect(page.getByRole('region', { name: 'Total assets' })).toContainText('4,700.00');
  await expect(page.getByRole('main')).toContainText('300.00');
}

/** Imports the file and returns the rows that were accepted. The end of the last day may still lie in the future. */
async function importImpressions(staff: Api, plans: readonly Plan[]): Promise<Impression[]> {
  const { csv, shiftDays, rows } = loadImpressions();
  const numbers = plans.map(({ plan_number }) => plan_number);
  const begun = Date.now();
  // Each run needs its own source: a stack that has imported the file before knows its report ids for other plans.
  const result = await staff.importReports(csv, `bandit-${begun}`, {
    timestamp: 'time',
    item_id: 'plan_number',
    click: 'clicks',
    constants: { impressions: 1 },
    report_id: 'line',
    plans_modulo: numbers,
    time_shift_days: shiftDays,
    pricing: Object.fromEntries(numbers.map((number, index) => [number, PRICINGS[index]])),
  });
  const refused = new Set(result.rejected.map(({ line }) => line));
  const landed = rows.filter(({ line }) => !refused.has(line));
  for (const row of rows.filter(({ line }) => refused.has(line))) {
    expect(row.time.getTime(), `line ${row.line} was refused though it lies in the past`).toBeGreaterThan(
      begun,
    );
  }
  expect(result.read).toBe(rows.length);
  expect(result.applied).toBe(landed.length);
  return landed;
}

async function adCentreShowsTheFile(
  browser: Browser,
  token: string,
  landed: readonly Impression[],
): Promise<void> {
  for (const timezoneId of TIME_ZONES) {
    const context = await browser.newContext({
      timezoneId,
      locale: 'en-GB',
      viewport: { width: 390, height: 844 },
    });
    await context.addInitScript((value) => localStorage.setItem('adfolio.token', value), token);
    const page = await context.newPage();
    for (const range of RANGES) {
      await page.goto(range === 'today' ? '/#/ad-center' : `/#/ad-center?range=${range}`);
      await expect(page.getByRole('tab', { selected: true }).first()).toBeVisible();
      await expectFigures(
        page,
        sumsOf(rowsOf(landed, range, timezoneId), priceOf),
        `${range} in ${timezoneId}`,
      );
    }
    await context.close();
  }
}

async function expectFigures(page: Page, sums: Sums, what: string): Promise<void> {
  const figures = page.getByRole('tabpanel').first();
  const integer = new Intl.NumberFormat('en');
  await expect(figures.getByRole('region', { name: 'Money' }), what).toContainText(shownSigned(sums.profit));
  await expect(figures, what).toContainText(`Ad revenue${shown(sums.revenue)}`);
  await expect(figures, what).toContainText(`Consumed${shown(sums.consumed)}`);
  await expect(figures, what).toContainText(`Impressions${integer.format(sums.impressions)}`);
  await expect(figures, what).toContainText(`Clicks${integer.format(sums.clicks)}`);
  await expect(figures, what).toContainText('Amount invested300.00');
  await expect(figures, what).toContainText('Delivery orders3');
}

async function plansShowTheFile(
  page: Page,
  plans: readonly Plan[],
  landed: readonly Impression[],
): Promise<Sums[]> {
  const all: Sums[] = [];
  for (const [index, plan] of plans.entries()) {
    const sums = sumsOf(
      landed.filter(({ item }) => item % plans.length === index),
      priceOf,
    );
    await page.goto(`/#/plan/detail?id=${plan.id}`);
    await expect(page.getByText(`${shown(sums.consumed)} of ${shown(PUT)} consumed`)).toBeVisible();
    await expect(page.getByRole('main')).toContainText(shownSigned(sums.profit));
    await expect(page.getByText('Includes estimates')).toBeVisible();
    all.push(sums);
  }
  return all;
}

async function walletAddsUp(page: Page, sums: readonly Sums[]): Promise<void> {
  const total = (pick: (plan: Sums) => string) => sums.reduce((sum, plan) => sum + cents(pick(plan)), 0n);
  const available = cents(DEPOSIT) - total(({ consumed }) => consumed) + total(({ revenue }) => revenue);
  await page.goto('/#/wallet');
  await page.reload();
  await settled(page);
  const hero = page.getByRole('region', { name: 'Total assets' });
  await expect(hero).toContainText(`${shown(decimal(available))} USD`);
  await expect(hero).toContainText(`Available funds${shown(decimal(available))}`);
  await page.goto('/#/wallet/fund-details?view=monthly');
  await settled(page);
  await expect(page.getByRole('main')).toContainText(shownSigned(decimal(available)));
  await page.getByText('By type').first().click();
  await expect(page.getByRole('main')).toContainText(
    `Profit sharing${shownSigned(decimal(total(({ revenue }) => revenue)))}`,
  );
  await page.getByRole('link', { name: 'Profit sharing' }).click();
  // Product and number of each plan.
  const plans = page.getByRole('link', { name: / · AD/ });
  await expect(plans).toHaveCount(sums.length);
  await plans.first().click();
  await expect(page.getByRole('listitem').filter({ hasText: /^Settled/ })).toBeVisible();
}

/** One for the deposit, and of each of three plans that it started, finished and was settled. */
async function noticesCame(page: Page): Promise<void> {
  await expect(async () => {
    await page.goto('/#/wallet');
    await page.reload();
    await expect(page.getByRole('link', { name: 'Notifications, 10 unread' })).toBeVisible({ timeout: 3000 });
  }).toPass();
  await page.getByRole('link', { name: 'Notifications, 10 unread' }).click();
  await page.getByRole('button', { name: 'Mark all read' }).click();
  await page.getByRole('button', { name: 'Back' }).click();
  await expect(page.getByRole('link', { name: 'Notifications', exact: true })).toBeVisible();
}
