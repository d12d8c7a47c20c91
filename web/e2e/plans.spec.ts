import { expect, type Page, test } from '@playwright/test';
import type { components } from '../src/lib/api/schema';
import { Api, newAdvertiser } from './support/api';
import { openAs, settled } from './support/app';
import { enterPayPassword, setPayPassword } from './support/pay-password';
import { importReports, newProduct } from './support/plans';

type Schemas = components['schemas'];

async function newPlanner(staff: Api, deposit = '1000.00') {
  const advertiser = await newAdvertiser(staff);
  await staff.deposit(advertiser.user.id, deposit);
  return advertiser;
}

/** What its page shows. */
const TERMS = {
  content_types: ['video', 'landing_page'],
  audience: { regions: ['Spain', 'Portugal'], age_min: 18, age_max: 45, gender: 'any' },
} satisfies Partial<Schemas['CreateProductRequest']>;

async function push(staff: Api, product: Schemas['Product'], userId: string): Promise<string> {
  const { items } = await staff.post<Schemas['PushedPlans']>('/admin/plan/push', {
    product_id: product.id,
    amount: '300.00',
    to: { user_ids: [userId] },
    put_content: 'Fifteen-second video',
    put_rule: 'Evenly over the day',
  });
  return items[0]?.plan_id ?? '';
}

async function grantCoupon(staff: Api, userId: string, name: string, requirement: string): Promise<void> {
  const campaign = await staff.post<Schemas['Campaign']>('/admin/coupon/campaign/create', {
    name,
    type: 'increment',
    mode: 'addition',
    value: '50.00',
    amount_requirement: requirement,
    kind: 'staff',
    valid_days: 7,
  });
  await staff.post('/admin/coupon/grant', { campaign_id: campaign.id, user_id: userId });
}

async function reviewAmount(page: Page, amount: string) {
  await page.getByLabel('Put amount').fill(amount);
  await page.getByRole('button', { name: 'Review' }).click();
  return page.getByRole('dialog', { name: 'Review your order' });
}

test('a pushed plan is put from its card once, with the transaction password', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user } = await newPlanner(staff);
  await setPayPassword(api);
  const product = await newProduct(staff, TERMS);
  const planId = await push(staff, product, user.id);
  await openAs(page, api.token, '/plan');
  await page.getByRole('link', { name: '1 plan waits for your amount' }).click();
  await expect(page).toHaveURL(/#\/plan\?status=waiting$/);
  await expect(page.getByRole('tabpanel')).toContainText('Put it by');
  await page.getByRole('link', { name: `Put ${product.name}` }).click();
  await expect(page.getByLabel('Put amount')).toHaveValue('300.00');
  const sheet = await reviewAmount(page, '350');
  await expect(sheet).toContainText('Available after650.00');
  await sheet.getByRole('button', { name: 'Place ad' }).click();
  await (await enterPayPassword(page, '000000')).click();
  await expect(page.getByText('Please enter the correct transaction password')).toBeVisible();
  await (await enterPayPassword(page)).dblclick();
  await expect(page.getByRole('status').filter({ hasText: 'Placement successful' })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`#/plan/detail\\?id=${planId}$`));
  const { items } = await api.get<Schemas['PlanPage']>('/plan/order/list');
  expect(items.map(({ id, put_amount }) => [id, put_amount])).toEqual([[planId, '350.00']]);

  // Back passes the product, where nothing can be placed a second time, and reaches the list.
  await page.goBack();
  await expect(page.getByText('This plan no longer waits', { exact: false })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/#\/plan\?status=waiting$/);
  await expect(page.getByText('No plans here')).toBeVisible();
});

test('an amount that cannot be put is refused at its field', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user } = await newPlanner(staff, '120.00');
  const product = await newProduct(staff, TERMS);
  await grantCoupon(staff, user.id, 'Harbour bonus', '100.00');
  await openAs(page, api.token, `/plan/goods-detail?id=${product.id}`);
  await expect(page.getByText('Repair piers and unlock islands.')).toBeVisible();
  const amount = page.getByLabel('Put amount');
  for (const [typed, text] of [
    ['', 'Please enter a correct put amount'],
    ['49.99', 'Below the minimum of 50.00'],
    ['800.01', 'Put amount not in range'],
    ['120.01', 'Insufficient balance'],
  ] as const) {
    await reviewAmount(page, typed);
    await expect(page.getByText(text)).toBeVisible();
    await expect(amount).toBeFocused();
  }

  await amount.fill('60');
  await page.getByRole('button', { name: /^Coupon/ }).click();
  const coupons = page.getByRole('dialog', { name: 'Choose a coupon' });
  await expect(coupons.getByRole('radio', { name: /^Harbour bonus/ })).toBeDisabled();
  await expect(coupons).toContainText('You miss 100.00 by 40.00');
  await page.goBack();
  await amount.fill('100');
  await page.getByRole('button', { name: /^Coupon/ }).click();
  await coupons.getByRole('radio', { name: /^Harbour bonus/ }).check();
  await coupons.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByRole('main')).toContainText('You pay100.00Ad budget150.00');
  await reviewAmount(page, '80');
  await expect(page.getByText('You miss 100.00 by 20.00')).toBeVisible();

  // The server notices money that left the wallet after the review; the field shows it.
  const sheet = await reviewAmount(page, '120');
  await staff.post('/admin/wallet/chargeback', { user_id: user.id, amount: '50.00', remark: 'Returned' });
  await sheet.getByRole('button', { name: 'Place ad' }).click();
  await expect(sheet).toHaveCount(0);
  await expect(amount).toHaveAttribute('aria-invalid', 'true');
  await expect(amount).toHaveValue('120');
  const { items } = await api.get<Schemas['PlanPage']>('/plan/order/list');
  expect(items).toEqual([]);
});

test('without a transaction password an ad is placed from the review, once, and live', async ({ page }) => {
  const staff = await Api.staff();
  const { api } = await newPlanner(staff);
  const product = await newProduct(staff, TERMS);
  await openAs(page, api.token, `/plan/goods-detail?id=${product.id}`);
  const sheet = await reviewAmount(page, '100');
  await sheet.getByRole('button', { name: 'Place ad' }).dblclick();
  await expect(page.getByRole('status').filter({ hasText: 'Placement successful' })).toBeVisible();
  const { items } = await api.get<Schemas['PlanPage']>('/plan/order/list');
  expect(items).toHaveLength(1);
  await page.getByRole('button', { name: 'Copy plan number' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toBeVisible();
  await page.goBack();
  await expect(page.getByLabel('Put amount')).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('a plan that failed says why, and what became of its money', async ({ page }) => {
  const staff = await Api.staff();
  const { api } = await newPlanner(staff);
  const product = await newProduct(staff, TERMS);
  const { id } = await api.post<Schemas['Plan']>('/plan/order/put', {
    product_id: product.id,
    amount: '100.00',
  });
  await staff.post('/admin/plan/finish', {
    id,
    outcome: 'put_failed',
    reason: 'The network refused the video.',
  });
  await openAs(page, api.token, '/plan?status=put_failed');
  await page.getByRole('link', { name: product.name }).click();
  await expect(page.getByText('The network refused the video.').first()).toBeVisible();
  await expect(page.getByRole('region', { name: 'Timeline' })).toContainText('Put failed');
  await expect(page.getByRole('region', { name: 'Money movements' })).toContainText('−100.00');
});

test('the tabs are in the address, and Back finds the list where it was', async ({ page }) => {
  const staff = await Api.staff();
  const { api } = await newPlanner(staff, '2000.00');
  const product = await newProduct(staff, TERMS);
  for (let number = 0; number < 8; number += 1) {
    await api.post('/plan/order/put', { product_id: product.id, amount: '50.00' });
  }
  await openAs(page, api.token, '/plan');
  await page.getByRole('tab', { name: 'Non-official' }).click();
  await page.getByRole('tab', { name: 'Matching 8' }).click();
  await expect(page).toHaveURL(/#\/plan\?push=non_official&status=matching$/);
  await settled(page);
  const cards = page.getByRole('tabpanel').getByRole('listitem');
  await expect(cards).toHaveCount(8);
  await cards.nth(6).scrollIntoViewIfNeeded();
  const scrolled = await page.evaluate(() => window.scrollY);
  expect(scrolled).toBeGreaterThan(300);
  await cards.nth(6).getByRole('link').click();
  await expect(page).toHaveURL(/#\/plan\/detail/);
  // The list stays in view until the code of the next page is there.
  await expect(page.getByRole('region', { name: 'Order' })).toBeVisible();
  await settled(page);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await page.goBack();
  await expect(page).toHaveURL(/#\/plan\?push=non_official&status=matching$/);
  await expect(cards).toHaveCount(8);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(scrolled);
  await expect(page.getByRole('tab', { name: 'Matching 8' })).toHaveAttribute('aria-selected', 'true');
});

test('figures of an open page follow a delivery report, and the page stays where it is', async ({ page }) => {
  const staff = await Api.staff();
  const { api } = await newPlanner(staff);
  const product = await newProduct(staff, TERMS);
  const plan = await api.post<Schemas['Plan']>('/plan/order/put', {
    product_id: product.id,
    amount: '200.00',
  });
  await openAs(page, api.token, `/plan/detail?id=${plan.id}`);
  // What stands at the top of the window is what the user reads.
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline.evaluate((node) => node.scrollIntoView({ block: 'start' }));
  const top = () => timeline.evaluate((node) => node.getBoundingClientRect().top);
  const before = await top();
  await importReports(staff, [{ id: '1', plan: plan.plan_number, figures: [1000, 10, '50.00', '60.00'] }]);
  await expect(page.getByText('50.00 of 200.00 consumed')).toBeAttached({ timeout: 40_000 });
  await expect(timeline).toContainText('Putting');
  // It stays there when a chart appears above and a button goes.
  expect(Math.abs((await top()) - before)).toBeLessThan(2);
});
