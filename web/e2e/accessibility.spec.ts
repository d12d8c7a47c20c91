import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { Api } from './support/api';
import { openAs, settled } from './support/app';

type Screen = { name: string; path: string; visitor?: boolean; open?: (page: Page) => Promise<void> };

/** Every screen as a user with data sees it, and what opens on it. */
const SCREENS: Screen[] = [
  { name: 'login', path: '/login', visitor: true },
  {
    name: 'login with errors',
    path: '/login',
    visitor: true,
    open: (page) => page.getByRole('button', { name: 'Log in' }).click(),
  },
  { name: 'register', path: '/register', visitor: true },
  { name: 'welcome', path: '/ad-welcome', visitor: true },
  { name: 'not found', path: '/404', visitor: true },
  { name: 'ad centre', path: '/ad-center?range=week' },
  {
    name: 'chart as table',
    path: '/ad-center?range=week',
    open: (page) => page.getByText('Show as table').click(),
  },
  {
    name: 'language',
    path: '/ad-center',
    open: (page) => page.getByRole('button', { name: 'Language' }).click(),
  },
  {
    name: 'logout',
    path: '/ad-center',
    open: (page) => page.getByRole('button', { name: 'Log out' }).click(),
  },
  { name: 'plans', path: '/plan' },
  { name: 'products', path: '/plan?products=open' },
  { name: 'plan detail', path: '/plan', open: openPlan },
  { name: 'product', path: '/plan?products=open', open: openProduct },
  { name: 'coupon choice', path: '/plan?products=open', open: openCoupons },
  { name: 'review', path: '/plan?products=open', open: openReview },
  { name: 'wallet', path: '/wallet' },
  { name: 'deposit', path: '/wallet', open: (page) => page.getByRole('button', { name: 'Deposit' }).click() },
  { name: 'fund details', path: '/wallet/fund-details' },
  { name: 'no movements', path: '/wallet/fund-details?type=exchange' },
  {
    name: 'by month',
    path: '/wallet/fund-details?view=monthly',
    open: (page) => page.getByText('By type').first().click(),
  },
  { name: 'notifications', path: '/notification' },
  { name: 'coupons', path: '/ad-center/coupons' },
];

async function openPlan(page: Page) {
  await page.getByRole('main').getByRole('heading', { level: 2 }).first().getByRole('link').click();
  await expect(page).toHaveURL(/plan\/detail/);
}

async function openProduct(page: Page) {
  await page.getByRole('dialog').getByRole('link').first().click();
  await expect(page.getByLabel('Put amount')).toBeVisible();
}

async function openCoupons(page: Page) {
  await openProduct(page);
  await page.getByRole('button', { name: /^Coupon/ }).click();
}

async function openReview(page: Page) {
  await openProduct(page);
  await page.getByLabel('Put amount').fill('100');
  await page.getByRole('button', { name: 'Review' }).click();
}

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    // Colours are compared as they stand, not on their way there.
    test.use({ colorScheme, contextOptions: { reducedMotion: 'reduce' } });

    test('axe finds nothing on any screen', async ({ page }) => {
      test.setTimeout(300_000);
      for (const screen of SCREENS.filter(({ visitor }) => visitor)) await check(page, screen);
      const { token } = await Api.demo();
      await openAs(page, token, '/ad-center');
      await page.reload();
      for (const screen of SCREENS.filter(({ visitor }) => !visitor)) await check(page, screen);
    });
  });
}

async function check(page: Page, { name, path, open }: Screen): Promise<void> {
  await test.step(name, async () => {
    await page.goto(`/#${path}`);
    await settled(page);
    await open?.(page);
    await settled(page);
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`);
    expect.soft(found, name).toEqual([]);
    await expectNothingSticksOut(page, name);
    await expectLargeTargets(page, name);
  });
}

async function expectNothingSticksOut(page: Page, name: string): Promise<void> {
  const { content, view } = await page.evaluate(() => ({
    content: document.documentElement.scrollWidth,
    view: document.documentElement.clientWidth,
  }));
  expect.soft(content, `${name} is as wide as the screen`).toBeLessThanOrEqual(view);
}

/** Whatever can be tapped is at least 44 px in both directions, with the area that its `::after` adds. */
async function expectLargeTargets(page: Page, name: string): Promise<void> {
  const small = await page.evaluate(() => {
    const scope = document.querySelector('dialog[open]') ?? document.body;
    const targets = scope.querySelectorAll<HTMLElement>(
      'a[href], button, select, summary, [role="tab"], [role="option"]',
    );
    return [...targets]
      .filter((target) => target.checkVisibility())
      .map((target) => {
        const stretched = getComputedStyle(target, '::after').position === 'absolute';
        const box = (stretched ? (target.offsetParent ?? target) : target).getBoundingClientRect();
        return { text: (target.getAttribute('aria-label') ?? target.textContent ?? '').trim(), box };
      })
      .filter(({ box }) => box.height < 43.9 || box.width < 43.9)
      .map(({ text, box }) => `${text}: ${Math.round(box.width)} × ${Math.round(box.height)}`);
  });
  expect.soft(small, `small targets on: ${name}`).toEqual([]);
}
