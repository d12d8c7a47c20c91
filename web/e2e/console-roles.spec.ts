import { expect, type Page, test } from '@playwright/test';
import { mayCall } from '../src/console/api/roles';
import type { PageSpec } from '../src/console/pages';
import { actableRows } from './support/actable-rows';
import { Api, newAdvertiser } from './support/api';
import { faultsIn, goTo, newMember, openConsole, type Role } from './support/console';
import { MENUS_FOR_USER, OFFERS, OFFERS_FOR_USER, type Offer, type RowOffers } from './support/offers';
import { isLoaded, OPEN_PAGES, type Opened, openedPages } from './support/opened-pages';

const ROLES: readonly Role[] = ['admin', 'support', 'finance', 'operator'];
const NO_ACCESS = 'Your role may not see this page';

/** The button or link of an act in the page. */
function offered(page: Page, name: string) {
  const main = page.locator('main');
  return main.getByRole('button', { name, exact: true }).or(main.getByRole('link', { name, exact: true }));
}

async function checkPage(page: Page, role: Role, { path, needs, group }: PageSpec): Promise<void> {
  const may = needs === null || mayCall(role, needs);
  const link = page.getByRole('navigation', { name: 'Pages' }).locator(`a[href="#${path}"]`);
  await expect(link, `${role} ${path}`).toHaveCount(may && group !== null ? 1 : 0);
  await goTo(page, path);
  await isLoaded(page);
  const refusal = page.getByRole('heading', { name: NO_ACCESS });
  await expect(refusal, `${role} ${path}`).toHaveCount(may ? 0 : 1);
  await expect(page.getByRole('button', { name: 'Try again' }), `${role} ${path}`).toHaveCount(0);
  await checkOffers(
    page,
    role,
    OFFERS.filter((offer) => offer.path === path),
  );
}

async function checkOffers(page: Page, role: Role, offers: readonly Offer[]): Promise<void> {
  for (const { name, call } of offers) {
    await expect(offered(page, name), `${role} ${name}`).toHaveCount(mayCall(role, call) ? 1 : 0);
  }
}

async function checkOpened(page: Page, role: Role, { spec, path, offers }: Opened): Promise<void> {
  const may = spec.needs === null || mayCall(role, spec.needs);
  await goTo(page, path);
  await isLoaded(page);
  await expect(page.getByRole('heading', { name: NO_ACCESS }), `${role} ${path}`).toHaveCount(may ? 0 : 1);
  await expect(page.getByRole('button', { name: 'Try again' }), `${role} ${path}`).toHaveCount(0);
  await checkOffers(page, role, offers);
}

/** Opens a menu and reads what it offers, or nothing where there is no menu. */
async function checkMenu(
  page: Page,
  role: Role,
  menu: string | RegExp,
  items: readonly Offer[],
): Promise<void> {
  const allowed = items.filter(({ call }) => mayCall(role, call)).map(({ name }) => name);
  const opener = page
    .locator('main')
    .getByRole('button', { name: menu, ...(typeof menu === 'string' && { exact: true }) });
  await expect(opener, `${role} ${menu}`).toHaveCount(allowed.length === 0 ? 0 : 1);
  if (allowed.length === 0) return;
  await opener.click();
  const names = await page.getByRole('menuitem').allTextContents();
  expect(names.toSorted(), `${role} ${menu}`).toEqual(allowed.toSorted());
  await page.keyboard.press('Escape');
}

async function checkRow(page: Page, role: Role, { needs, path, row, items }: RowOffers): Promise<void> {
  if (!mayCall(role, needs)) return;
  await goTo(page, path);
  await isLoaded(page);
  // The row is there for every role, whether or not it may act on it.
  await expect(page.getByRole('table').getByRole('row').nth(1), `${role} ${path}`).toBeVisible();
  await checkMenu(page, role, row, items);
}

/** The act of the page of frozen wallets stands in its row. */
async function checkFreeze(page: Page, role: Role, userId: string): Promise<void> {
  await goTo(page, '/freezes');
  const row = page.getByRole('row').filter({ hasText: userId });
  await expect(row).toBeVisible();
  const may = mayCall(role, 'POST /admin/wallet/unfreeze');
  await expect(row.getByRole('button', { name: 'Agree to lift' }), role).toHaveCount(may ? 1 : 0);
}

test('each role sees its pages and what it may do there, and nothing else', async ({ browser }) => {
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  await api.post('/user/freeze', { reason: 'I have lost my phone' });
  const { opened, rows } = await openedPages(staff, user.id);
  const all = [...rows, ...(await actableRows(staff))];
  for (const role of ROLES) {
    const page = await openConsole(browser, await newMember(staff, role));
    const faults = faultsIn(page);
    for (const spec of OPEN_PAGES) await checkPage(page, role, spec);
    await goTo(page, `/users/${user.id}`);
    await expect(page.getByRole('heading', { name: user.username, level: 1 })).toBeVisible();
    await checkOffers(page, role, OFFERS_FOR_USER);
    for (const { name, items } of MENUS_FOR_USER) await checkMenu(page, role, name, items);
    for (const one of opened) await checkOpened(page, role, one);
    for (const row of all) await checkRow(page, role, row);
    await checkFreeze(page, role, user.id);
    expect(faults, role).toEqual([]);
    await page.context().close();
  }
});
