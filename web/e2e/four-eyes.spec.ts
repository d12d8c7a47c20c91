import { type Browser, expect, type Page, test } from '@playwright/test';
import type { components } from '../src/lib/api/schema';
import { Api, newAdvertiser, uniqueName } from './support/api';
import { decideApproval } from './support/approvals';
import { ADMIN, goTo, openConsole, SECOND_ADMIN } from './support/console';
import { chooseReports, finishDelivery, newProduct, planOf, releaseReports, settle } from './support/plans';
import { askAgain, askForWithdrawal } from './support/withdrawals';

type Schemas = components['schemas'];

/** Both sums of a member count over the day, so the acts follow each other. */
test.describe.configure({ mode: 'serial' });

let first: Page;
let second: Page;
let api: Api;
let user: Schemas['UserInfo'];

test.beforeAll(async ({ browser }: { browser: Browser }) => {
  ({ api, user } = await newAdvertiser(await Api.staff()));
  first = await openConsole(browser, ADMIN);
  second = await openConsole(browser, SECOND_ADMIN);
});

test.afterAll(async () => {
  await first.context().close();
  await second.context().close();
});

const decide = (page: Page, act: 'Approve' | 'Reject', request: string) =>
  decideApproval(page, act, { userId: user.id, request });

const funds = async () => (await api.get<Schemas['Property']>('/user/property')).available_funds;

test('a large deposit is asked for by one and posted by the other, never by the same', async () => {
  await goTo(first, `/users/${user.id}`);
  await first.getByRole('button', { name: 'Post to the wallet' }).click();
  await first.getByRole('menuitem', { name: 'Credit a deposit' }).click();
  const deposit = first.getByRole('dialog');
  await deposit.getByLabel('Amount').fill('5000');
  await deposit.getByLabel('Remark, which the user reads').fill('Bank transfer');
  await deposit.getByRole('button', { name: 'Post' }).click();
  await first.getByRole('link', { name: 'See approvals' }).click();
  expect(await funds()).toBe('0.00');

  const own = await decide(first, 'Approve', 'Deposit');
  await expect(own).toContainText('You asked for this yourself');
  await expect(own.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
  expect(await funds()).toBe('0.00');
  await own.getByRole('button', { name: 'Cancel' }).click();

  await decide(second, 'Approve', 'Deposit');
  await expect(second.getByText('Approved and posted: Deposit.')).toBeVisible();
  await expect.poll(funds).toBe('5000.00');
});

test('a large withdrawal is paid once both have said so', async () => {
  await askForWithdrawal(api, '1500.00');
  await goTo(first, `/withdrawals?user_id=${user.id}`);
  await first.getByRole('button', { name: `Actions for ${user.username}, 1500.00` }).click();
  await first.getByRole('menuitem', { name: 'Mark as paid' }).click();
  await first.getByRole('dialog').getByRole('button', { name: 'Mark as paid' }).click();
  await expect(first.getByText(/A second person must approve this/)).toBeVisible();
  const withdrawal = async () =>
    (await api.get<Schemas['WithdrawalPage']>('/user/withdraw/list')).items[0]?.status;
  expect(await withdrawal()).toBe('pending');
  await decide(second, 'Approve', 'Paid withdrawal');
  await expect(second.getByText('Approved and posted: Paid withdrawal.')).toBeVisible();
  await expect.poll(withdrawal).toBe('paid');
});

test('a batch of payments is released by the one who did not propose it, and left by two', async () => {
  await askAgain(api, '90.00');
  await goTo(first, `/withdrawals?user_id=${user.id}`);
  // The page may have been open since before the request.
  await first.getByRole('button', { name: 'Refresh' }).click();
  await first.getByRole('checkbox', { name: `Select ${user.username}, 90.00` }).check();
  await first.getByRole('button', { name: 'Pay in a batch' }).click();
  await first.getByRole('dialog').getByRole('button', { name: 'Propose batch' }).click();
  await first.getByRole('link', { name: 'See the batch' }).click();
  await expect(first.getByRole('heading', { name: /^Payment batch of/, level: 1 })).toBeVisible();
  await first.getByRole('button', { name: 'Release' }).click();
  const own = first.getByRole('dialog');
  await expect(own).toContainText('You proposed this batch yourself');
  await own.getByRole('button', { name: 'Release' }).click();
  await expect(own.getByRole('alert').filter({ hasText: 'Another person must decide this' })).toBeVisible();
  await own.getByRole('button', { name: 'Cancel' }).click();

  const path = new URL(first.url()).hash.slice(1);
  await goTo(second, path);
  await second.getByRole('button', { name: 'Release' }).click();
  await second.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
  await expect(second.getByText('The batch is released. Its file can be downloaded.')).toBeVisible();

  const takeOut = async (page: Page, act: string) => {
    await page.getByRole('button', { name: `Actions for ${user.username}, 90.00` }).click();
    await page.getByRole('menuitem', { name: act }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('The bank returned it');
    await page.getByRole('dialog').getByRole('button', { name: act }).click();
  };
  const batchOf = async () => {
    const staff = await Api.staff();
    const { items } = await staff.get<Schemas['StaffWithdrawalPage']>(
      `/admin/withdraw/list?user_id=${user.id}&status=pending`,
    );
    return items.map((withdrawal) => withdrawal.payment_batch_id);
  };
  await takeOut(second, 'Take out');
  await expect(second.getByText(/Somebody else must do the same/)).toBeVisible();
  expect(await batchOf()).toEqual([path.split('/').at(-1)]);
  await first.reload();
  await takeOut(first, 'Confirm taking out');
  await expect(first.getByText(/waits for a decision again\.$/)).toBeVisible();
  expect(await batchOf()).toEqual([null]);
});

test('a file is released and a plan settled early by the one who did not ask', async () => {
  const product = await newProduct(await Api.staff());
  const plan = await api.post<Schemas['Plan']>('/plan/order/put', {
    product_id: product.id,
    amount: '300.00',
  });
  const source = `network-${uniqueName()}`;
  await chooseReports(first, source, plan.plan_number);
  await first.getByRole('button', { name: 'Dry run' }).click();
  await first.getByLabel('Reason').fill('Reports of today');
  await first.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(first.getByText(/waits until another member of staff releases it/)).toBeVisible();
  expect((await planOf(api)).consumed).toBe('0.00');

  await releaseReports(second, source);
  await expect.poll(async () => (await planOf(api)).consumed).toBe('40.00');

  await goTo(first, `/plans/${plan.id}`);
  await finishDelivery(first);
  await expect.poll(async () => (await planOf(api)).status).toBe('waiting_settlement');
  await first.reload();
  await settle(first);
  await expect(first.getByText(/Somebody else must do the same/)).toBeVisible();
  expect((await planOf(api)).status).toBe('waiting_settlement');
  await goTo(second, `/plans/${plan.id}`);
  await settle(second);
  await expect(second.getByText(`Plan ${plan.plan_number} is settled.`)).toBeVisible();
  await expect.poll(async () => (await planOf(api)).status).toBe('settled');
});
