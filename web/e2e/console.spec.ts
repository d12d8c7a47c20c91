import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import type { components } from '../src/lib/api/schema';
import { Api, newAdvertiser } from './support/api';
import {
  ADMIN,
  faultsIn,
  goTo,
  logIn,
  logInWithCode,
  newMember,
  openConsole,
  SECOND_ADMIN,
  setUpApp,
} from './support/console';
import { isLoaded, OPEN_PAGES, openedPages } from './support/opened-pages';
import { nextTotp } from './support/totp';
import { askForWithdrawal } from './support/withdrawals';

type Schemas = components['schemas'];

const WIDTHS = [1280, 1440, 1920, 390];

test('the console is never in a frame, and has no frames, workers or files of the app', async ({
  request,
}) => {
  const response = await request.get('/console/');
  const policy = response.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/frame-src|worker-src|unsafe|https:/);
  expect(response.headers()['cache-control']).toBe('no-cache');
  const scripts = [...(await response.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)];
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.filter(([, path]) => !path?.startsWith('/assets/console/'))).toEqual([]);
  expect((await request.get('/console', { maxRedirects: 0 })).status()).toBe(301);
});

test('a wrong password says so, and a right one opens the console', async ({ page }) => {
  const faults = faultsIn(page);
  await logIn(page, { username: 'admin', password: 'not the password' });
  await expect(page.getByRole('alert')).not.toBeEmpty();
  await logIn(page, ADMIN);
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  // The session belongs to this tab: a reload keeps it, and a logout ends it here and on the server.
  await page.reload();
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  await page.getByRole('button', { name: /^Your account/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page.getByRole('heading', { name: 'Log in', exact: true })).toBeVisible();
  expect(faults).toEqual([]);
});

test('half an hour without activity logs out, with a warning before', async ({ page }) => {
  await page.clock.install();
  await logIn(page, ADMIN);
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  await page.clock.runFor('28:30');
  const warning = page.getByRole('dialog', { name: 'Are you still there?' });
  await expect(warning).toBeVisible();
  await warning.getByRole('button', { name: 'Stay logged in' }).click();
  await expect(warning).toBeHidden();
  await page.clock.runFor('30:10');
  await expect(page.getByText('You were logged out after 30 minutes without activity.')).toBeVisible();
});

test('a second factor is asked for at the login and before an act', async ({ page, browser }) => {
  const staff = await Api.staff();
  const member = await newMember(staff, 'support');
  const { user } = await newAdvertiser(staff);
  await logIn(page, member);
  const secret = await setUpApp(page);

  const other = await (await browser.newContext()).newPage();
  await logInWithCode(other, member, nextTotp(secret));
  await expect(other.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  await goTo(other, `/users/${user.id}`);
  await expect(other.getByRole('heading', { name: user.username })).toBeVisible();
});

test('no page has a fault that axe finds, in light and dark, or is wider than its window', async ({
  page,
}) => {
  const staff = await Api.staff();
  const { user } = await newAdvertiser(staff);
  await logIn(page, ADMIN);
  const found: string[] = [];
  const [plan] = (await staff.get<Schemas['StaffPlanPage']>('/admin/plan/list?limit=1')).items;
  const { opened } = await openedPages(staff, user.id);
  const paths = [
    ...OPEN_PAGES.map((spec) => spec.path),
    ...opened.map(({ path }) => path),
    `/users/${user.id}`,
    `/plans/${plan?.id}`,
  ];
  for (const path of paths) {
    await goTo(page, path);
    await isLoaded(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      found.push(
        ...violations.map(({ id, nodes }) => `${path} ${colorScheme} ${id}: ${nodes[0]?.html.slice(0, 200)}`),
      );
    }
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const over = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      if (over > 0) found.push(`${path} is ${over} px wider than ${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  }
  expect(found.join('\n')).toBe('');
});

test('a deposit shows what it changes, is posted once, and a refusal changes nothing', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  await logIn(page, ADMIN);
  await goTo(page, `/users/${user.id}`);
  const open = async (act: string) => {
    await page.getByRole('button', { name: 'Post to the wallet' }).click();
    await page.getByRole('menuitem', { name: act }).click();
    return page.getByRole('dialog');
  };
  const deposit = await open('Credit a deposit');
  await deposit.getByRole('button', { name: 'Post' }).click();
  await expect(deposit.getByLabel('Amount')).toBeFocused();
  await deposit.getByLabel('Amount').fill('250');
  await deposit.getByLabel('Remark, which the user reads').fill('Bank transfer of today');
  await expect(deposit.getByRole('region', { name: 'This changes' })).toContainText('Now 0.00 → Then 250.00');
  await deposit.getByRole('button', { name: 'Post' }).dblclick();
  await expect(page.getByText(/^Posted for/)).toBeVisible();
  expect((await api.get<Schemas['Property']>('/user/property')).available_funds).toBe('250.00');

  const chargeback = await open('Chargeback');
  await chargeback.getByLabel('Amount').fill('300');
  await chargeback.getByLabel('Remark, which the user reads').fill('Reversed by the bank');
  await chargeback.getByRole('button', { name: 'Post' }).click();
  await expect(chargeback).toContainText(/balance/i);
  expect((await api.get<Schemas['Property']>('/user/property')).available_funds).toBe('250.00');
});

test('a withdrawal is decided once, also by two people at the same time', async ({ page, browser }) => {
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  await staff.deposit(user.id, '500.00');
  await askForWithdrawal(api, '120.00');
  await logIn(page, ADMIN);
  const other = await openConsole(browser, SECOND_ADMIN);
  const decide = async (on: Page, act: string) => {
    await goTo(on, `/withdrawals?user_id=${user.id}`);
    await on.getByRole('button', { name: `Actions for ${user.username}, 120.00` }).click();
    await on.getByRole('menuitem', { name: act }).click();
    return on.getByRole('dialog');
  };
  const paid = await decide(page, 'Mark as paid');
  const rejected = await decide(other, 'Reject');
  await paid.getByRole('button', { name: 'Mark as paid' }).click();
  await expect(page.getByText(/is paid\.$/)).toBeVisible();
  await rejected.getByLabel('Reason').fill('The account number is wrong');
  await rejected.getByRole('button', { name: 'Reject' }).click();
  await expect(rejected.getByRole('alert')).not.toBeEmpty();
  const { items } = await api.get<Schemas['WithdrawalPage']>('/user/withdraw/list');
  expect(items.map(({ status }) => status)).toEqual(['paid']);
  await other.context().close();
});

test('a list is a file with what it shows', async ({ page }) => {
  const staff = await Api.staff();
  const { user } = await newAdvertiser(staff);
  await logIn(page, ADMIN);
  await goTo(page, `/users?query=${user.username}`);
  await expect(page.locator('[data-index="0"] a')).toHaveText(user.username);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const file = await saving;
  const stream = await file.createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const lines = Buffer.concat(chunks).toString('utf8').trim().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(user.username);
});
