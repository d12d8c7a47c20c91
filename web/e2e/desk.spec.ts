import { readFileSync } from 'node:fs';
import { expect, type Page, test } from '@playwright/test';
import { FixtureApp } from './support/fixture-app';

const table = (page: Page) => page.getByRole('table');
const address = (page: Page) => page.evaluate(() => location.hash.slice(1));

/** The width of what a page shows, without the room around it. */
function contentWidth(page: Page): Promise<number> {
  return page.evaluate(
    () => document.querySelector('main')?.lastElementChild?.getBoundingClientRect().width ?? 0,
  );
}

async function opened(app: FixtureApp, path: string): Promise<Page> {
  await app.load({ lang: 'en', data: 'everything' }, path);
  return app.page;
}

for (const width of [1440, 1920]) {
  test(`at ${width} px tables are wide, and forms stay narrow`, async ({ context }) => {
    const app = await FixtureApp.start(context);
    await app.page.setViewportSize({ width, height: 900 });
    const page = await opened(app, '/plan');
    for (const path of [
      '/plan',
      '/plan/detail?id=plan-1',
      '/wallet',
      '/wallet/fund-details',
      '/ad-center',
      '/account',
    ]) {
      await app.go(path);
      const wide = await contentWidth(page);
      expect(wide, path).toBeGreaterThanOrEqual(1120);
      expect(wide, path).toBeLessThanOrEqual(1200);
    }
    for (const path of ['/wallet/withdraw', '/plan/goods-detail?id=product-1', '/ad-center/feedback']) {
      await app.go(path);
      expect(await contentWidth(page), path).toBeLessThanOrEqual(600);
    }
  });
}

test('a dialog stands in the middle of the content', async ({ context }) => {
  const app = await FixtureApp.start(context);
  for (const width of [1024, 1440]) {
    await app.page.setViewportSize({ width, height: 900 });
    const page = await opened(app, '/plan?products=open');
    const middle = (selector: string) =>
      page.evaluate((of) => {
        const { left, right } = document.querySelector(of)?.getBoundingClientRect() ?? { left: 0, right: 0 };
        return (left + right) / 2;
      }, selector);
    expect(Math.abs((await middle('dialog[open]')) - (await middle('main')))).toBeLessThan(2);
  }
});

test('sort, search and period are in the address, and a reload keeps them', async ({ context }) => {
  const app = await FixtureApp.start(context);
  const page = await opened(app, '/plan');
  await page.getByRole('button', { name: 'Profit', exact: true }).click();
  await page.getByRole('button', { name: 'Profit', exact: true }).click();
  await page.getByRole('searchbox').fill('fitcoach');
  await page.getByLabel('Period').selectOption('Last 7 days');
  await expect(table(page).getByRole('row')).toHaveCount(4);
  await expect.poll(() => address(page)).toContain('search=fitcoach');
  expect(Object.fromEntries(new URLSearchParams((await address(page)).split('?')[1]))).toEqual({
    sort: 'profit',
    order: 'asc',
    search: 'fitcoach',
    period: 'last_7_days',
  });
  await page.reload();
  await expect(table(page).getByRole('row')).toHaveCount(4);
  await expect(page.getByRole('columnheader', { name: 'Profit' })).toHaveAttribute('aria-sort', 'ascending');
  await expect(page.getByRole('searchbox')).toHaveValue('fitcoach');
  await expect(table(page).getByRole('row').last()).toContainText('2 plans');
});

test('the file has what the table shows', async ({ context }) => {
  const app = await FixtureApp.start(context);
  const page = await opened(app, '/plan?status=waiting_settlement');
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('adfolio-plans-2026-11-20.csv');
  const text = readFileSync(await download.path(), 'utf8');
  expect(text.split('\r\n')).toEqual([
    '\uFEFFPlan number,Product,Status,Put amount,Consumed,Ad revenue,Profit,Impressions,Clicks,Return on ad spend,Created',
    'AD-20261114-000044,FitCoach Daily,Waiting for settlement,1200.00,1200.00,1132.07,-67.93,36480,766,0.9433,2026-11-16 15:25:00',
    '',
  ]);
});

test('a plan opens beside its list, by keyboard, and Esc gives the focus back', async ({ context }) => {
  const app = await FixtureApp.start(context);
  const page = await opened(app, '/plan?sort=revenue');
  const row = page.getByRole('link', { name: /AD-20261115-000043/ });
  await row.focus();
  await page.keyboard.press('Enter');
  const plan = page.getByRole('region', { name: 'Plan detail' });
  await expect(plan).toContainText('1,000.00 of 1,000.00 consumed');
  const list = page.getByRole('complementary', { name: 'Plans' });
  await expect(list.getByRole('link', { name: /000043/ })).toHaveAttribute('aria-current', 'true');
  const [left, right] = await Promise.all([list.boundingBox(), plan.boundingBox()]);
  expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThan(right?.x ?? 0);
  expect(left?.width ?? 0).toBeLessThan(right?.width ?? 0);
  await page.keyboard.press('Escape');
  await expect(row).toBeFocused();
  expect(await address(page)).toBe('/plan?sort=revenue');
});

test('Esc closes what lies above the plan first', async ({ context }) => {
  const app = await FixtureApp.start(context);
  const page = await opened(app, '/plan/detail?id=plan-3');
  await page.getByRole('button', { name: 'Cancel plan' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.getByRole('region', { name: 'Plan detail' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(table(page)).toBeVisible();
  expect(await address(page)).toBe('/plan');
});

test('the chart compares two metrics, with the keyboard too', async ({ context }) => {
  const app = await FixtureApp.start(context);
  const page = await opened(app, '/ad-center?range=week');
  await page.getByLabel('First metric').selectOption('Impressions');
  const chart = page.getByRole('slider', { name: 'Impressions · Ad revenue over time' });
  await chart.focus();
  await page.keyboard.press('Home');
  await expect(chart).toHaveAttribute('aria-valuetext', /Nov 16, 2026, Impressions \d+, Ad revenue [\d.]+/);
  expect(await address(page)).toContain('first=impressions');
});

test('paper has the whole table in black on white, and no bars', async ({ context }) => {
  const app = await FixtureApp.start(context);
  await app.page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const page = await opened(app, '/wallet/fund-details');
  await expect(table(page)).toBeVisible();
  await expect(page.getByRole('navigation')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Language' })).toBeHidden();
  await expect(page.getByRole('button', { name: 'Download CSV' })).toBeHidden();
  const look = await page.evaluate(() => {
    const box = document.querySelector('table')?.parentElement;
    const { color, backgroundColor } = getComputedStyle(document.documentElement);
    return { color, backgroundColor, cut: box ? box.scrollHeight - box.clientHeight : -1 };
  });
  expect(look).toEqual({ color: 'rgb(0, 0, 0)', backgroundColor: 'rgb(255, 255, 255)', cut: 0 });
});

test('an open movement is printed alone', async ({ context }) => {
  const app = await FixtureApp.start(context);
  const page = await opened(app, '/wallet/fund-details');
  await page.locator('main tbody button').first().click();
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('dialog', { name: 'Movement' })).toBeVisible();
  await expect(page.locator('main table')).toBeHidden();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('nothing of the desk is shown or loaded', async ({ context }) => {
    const app = await FixtureApp.start(context);
    const page = await opened(app, '/plan');
    for (const path of ['/plan', '/plan/detail?id=plan-1', '/wallet/fund-details', '/ad-center']) {
      await app.go(path);
      await expect(page.locator('main').getByRole('searchbox')).toBeHidden();
      await expect(page.getByRole('button', { name: 'Download CSV' })).toBeHidden();
    }
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => name),
    );
    expect(loaded.some((name) => name.includes('/user-'))).toBe(true);
    expect(
      loaded.filter((name) => /plans-desk|plan-split|funds-desk|metric-chart|desk-texts/.test(name)),
    ).toEqual([]);
  });
});
