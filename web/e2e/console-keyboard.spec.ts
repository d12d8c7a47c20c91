import { expect, type Locator, type Page, test } from '@playwright/test';
import type { components } from '../src/lib/api/schema';
import { Api, newAdvertiser } from './support/api';
import { ADMIN, goTo, logIn } from './support/console';
import { isLoaded } from './support/opened-pages';
import { askForWithdrawal } from './support/withdrawals';

type Schemas = components['schemas'];

/** Stops of the longest way that a test takes. */
const STOPS_MAX = 80;

/** Presses Tab until the target has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let stop = 0; stop < STOPS_MAX; stop += 1) {
    if (await target.evaluate((node) => node === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${target} is not reached within ${STOPS_MAX} stops`);
}

test('the keyboard alone finds a user, moves between rows and opens one', async ({ page }) => {
  const staff = await Api.staff();
  const { user } = await newAdvertiser(staff);
  await logIn(page, ADMIN);
  await isLoaded(page);
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog').getByRole('searchbox')).toBeFocused();
  await page.keyboard.type(user.username);
  await expect(page.getByRole('option', { name: user.username })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: user.username, level: 1 })).toBeVisible();

  await goTo(page, '/users');
  await isLoaded(page);
  await page.locator('main').focus();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  const first = page.locator('[data-index="0"] a');
  await expect(first).toBeFocused();
  await page.keyboard.press('/');
  await expect(page.getByLabel('Search', { exact: true })).toBeFocused();
  await page.keyboard.type(user.username);
  await expect(page).toHaveURL(new RegExp(`query=${user.username}`));
  await expect(page.locator('[data-index="0"] a')).toHaveText(user.username);
  await page.locator('main').focus();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: user.username, level: 1 })).toBeVisible();
  await page.locator('main').focus();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('the keyboard alone credits a deposit and pays a withdrawal', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  await staff.deposit(user.id, '500.00');
  await askForWithdrawal(api, '140.00');
  await logIn(page, ADMIN);
  const dialog = page.getByRole('dialog');
  const funds = async () => (await api.get<Schemas['Property']>('/user/property')).available_funds;

  await goTo(page, `/users/${user.id}`);
  await isLoaded(page);
  await tabTo(page, page.getByRole('button', { name: 'Post to the wallet' }));
  await page.keyboard.press('Enter');
  // The first item of the menu has the focus.
  await expect(page.getByRole('menuitem', { name: 'Credit a deposit' })).toBeFocused();
  await page.keyboard.press('Enter');
  await tabTo(page, dialog.getByLabel('Amount'));
  await page.keyboard.type('25');
  await tabTo(page, dialog.getByLabel('Remark, which the user reads'));
  await page.keyboard.type('Bank transfer');
  await tabTo(page, dialog.getByRole('button', { name: 'Post' }));
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Posted for/)).toBeVisible();
  expect(await funds()).toBe('385.00');

  await goTo(page, `/withdrawals?user_id=${user.id}`);
  await isLoaded(page);
  await tabTo(page, page.getByRole('button', { name: `Actions for ${user.username}, 140.00` }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Mark as paid' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await tabTo(page, dialog.getByRole('button', { name: 'Mark as paid' }));
  await page.keyboard.press('Enter');
  await expect(page.getByText(/is paid\.$/)).toBeVisible();
  await expect(dialog).toHaveCount(0);
});
