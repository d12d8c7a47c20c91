import { expect, type Page, test } from '@playwright/test';
import type { components } from '../src/lib/api/schema';
import { Api, newAdvertiser, uniqueName } from './support/api';
import { currencyOf, statementOf } from './support/bank-file';
import { goTo, logIn, newMember, openConsole, SECOND_ADMIN } from './support/console';
import { askForWithdrawal } from './support/withdrawals';

type Schemas = components['schemas'];

/** Goes on once the claim of what is opened has been answered. */
async function claimed(page: Page, open: () => Promise<void>): Promise<void> {
  const answer = page.waitForResponse((response) => response.url().endsWith('/api/admin/claim'));
  await open();
  await answer;
}

test('who opens what somebody else works on reads their name, and sees at once what became of it', async ({
  page,
  browser,
}) => {
  const staff = await Api.staff();
  const first = await newMember(staff, 'finance');
  const { api, user } = await newAdvertiser(staff);
  await staff.deposit(user.id, '500.00');
  await askForWithdrawal(api, '130.00');
  const list = `/withdrawals?user_id=${user.id}`;
  const decide = async (on: Page, act: string) => {
    await goTo(on, list);
    await on.getByRole('button', { name: `Actions for ${user.username}, 130.00` }).click();
    await claimed(on, () => on.getByRole('menuitem', { name: act }).click());
    return on.getByRole('dialog');
  };
  await logIn(page, first);
  const paid = await decide(page, 'Mark as paid');
  await expect(paid.getByText(/has been working on this/)).toHaveCount(0);

  const other = await openConsole(browser, SECOND_ADMIN);
  const rejected = await decide(other, 'Reject');
  await expect(rejected.getByText(`${first.username} has been working on this since`)).toBeVisible();
  // It warns and blocks nothing.
  await expect(rejected.getByRole('button', { name: 'Reject' })).toBeEnabled();
  await rejected.getByRole('button', { name: 'Cancel' }).click();
  await expect(other.getByRole('table').getByText(first.username)).toBeVisible();

  await paid.getByRole('button', { name: 'Mark as paid' }).click();
  await expect(page.getByText(/is paid\.$/)).toBeVisible();
  // Long before the list would be read anew by itself.
  await expect(other.getByText('Nothing matches')).toBeVisible({ timeout: 10_000 });
  const claims = async () =>
    (await staff.get<Schemas['ClaimPage']>('/admin/claims?kind=withdrawal&limit=100')).items;
  await expect
    .poll(async () => (await claims()).map((claim) => claim.staff.username))
    .not.toContain(first.username);
  await other.context().close();
});

test('two people see each other at a line of a bank statement and at a section of texts', async ({
  page,
  browser,
}) => {
  const staff = await Api.staff();
  const first = await newMember(staff, 'admin');
  const { api, user } = await newAdvertiser(staff);
  const text = `Top up ${user.payment_reference}`;
  const payment = { amount: '3.00', text, reference: uniqueName() };
  const statement = await staff.uploadStatement(statementOf(await currencyOf(api), [payment]));
  const setAside = async (on: Page) => {
    await goTo(on, `/bank/${statement.id}`);
    await on.getByRole('button', { name: /^Actions for/ }).click();
    await claimed(on, () => on.getByRole('menuitem', { name: 'Set aside' }).click());
  };
  const edit = async (on: Page) => {
    await goTo(on, '/content');
    await claimed(on, () => on.getByRole('link', { name: 'Edit Operating rules' }).click());
  };
  const works = `${first.username} has been working on this since`;
  await logIn(page, first);
  const other = await openConsole(browser, SECOND_ADMIN);

  await setAside(page);
  await setAside(other);
  await expect(other.getByRole('dialog')).toContainText(works);
  await other.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(other.getByRole('table').getByText(first.username)).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

  await edit(page);
  await edit(other);
  await expect(other.getByText(works)).toBeVisible();
  await other.context().close();
});
