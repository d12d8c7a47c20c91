import { expect, test } from '@playwright/test';
import type { components } from '../src/lib/api/schema';
import { Api, newAdvertiser } from './support/api';
import { ADMIN, goTo, logIn, newMember, openConsole } from './support/console';

type Schemas = components['schemas'];

test('a session that somebody has ended changes nothing more, and the next login leads back', async ({
  browser,
}) => {
  const staff = await Api.staff();
  const member = await newMember(staff, 'finance');
  const { api, user } = await newAdvertiser(staff);
  const page = await openConsole(browser, member);
  await goTo(page, `/users/${user.id}`);
  await page.getByRole('button', { name: 'Post to the wallet' }).click();
  await page.getByRole('menuitem', { name: 'Credit a deposit' }).click();
  await page.getByRole('dialog').getByLabel('Amount').fill('10');
  await page.getByRole('dialog').getByLabel('Remark, which the user reads').fill('Bank transfer');
  await staff.post('/admin/staff/sessions/end', { staff_id: member.id, reason: 'Left the desk' });
  await page.getByRole('dialog').getByRole('button', { name: 'Post' }).dispatchEvent('click');
  await expect(page.getByText('Your session has ended. Log in again.')).toBeVisible();
  expect((await api.get<Schemas['Property']>('/user/property')).available_funds).toBe('0.00');
  await page.getByLabel('Username').fill(member.username);
  await page.getByLabel('Password', { exact: true }).fill(member.password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await expect(page.getByRole('heading', { name: user.username, level: 1 })).toBeVisible();
  await page.context().close();
});

test('a list that cannot be read says so, and is read again on demand', async ({ page }) => {
  await logIn(page, ADMIN);
  const url = '**/api/admin/operator/list*';
  await page.route(url, (route) => route.abort('connectionfailed'));
  await goTo(page, '/operators');
  const again = page.getByRole('button', { name: 'Try again' });
  await expect(again).toBeVisible();
  await page.unroute(url);
  await again.click();
  await expect(again).toHaveCount(0);
  await expect(page.getByRole('table')).toBeVisible();
});

test('a page whose code cannot be fetched says that the connection is missing', async ({ page, context }) => {
  await logIn(page, ADMIN);
  await goTo(page, '/today');
  await context.setOffline(true);
  await goTo(page, '/operators');
  await expect(page.getByText('Check your connection, then reload.')).toBeVisible();
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect(page.getByRole('heading', { name: 'Operators', level: 1 })).toBeVisible();
});

test('an act whose answer is lost is sent again, and made once', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  await logIn(page, ADMIN);
  await goTo(page, `/users/${user.id}`);
  await page.getByRole('button', { name: 'Post to the wallet' }).click();
  await page.getByRole('menuitem', { name: 'Credit a deposit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Amount').fill('12.50');
  await dialog.getByLabel('Remark, which the user reads').fill('Bank transfer');
  const funds = async () => (await api.get<Schemas['Property']>('/user/property')).available_funds;
  await page.route(
    '**/api/admin/wallet/deposit',
    async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    },
    { times: 1 },
  );
  await dialog.getByRole('button', { name: 'Post' }).click();
  await expect(dialog).toContainText('answer did not arrive. Try again: the act is not done twice.');
  await expect(dialog.getByLabel('Amount')).toHaveValue('12.50');
  expect(await funds()).toBe('12.50');
  await dialog.getByRole('button', { name: 'Post' }).click();
  await expect(page.getByText(/^Posted for/)).toBeVisible();
  expect(await funds()).toBe('12.50');
});
