import { readFile, writeFile } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import type { components } from '../src/lib/api/schema';
import { Api, newAdvertiser } from './support/api';
import { openAs } from './support/app';
import { md5 } from './support/pay-password';
import { CARD } from './support/withdrawals';

type Schemas = components['schemas'];

const PASSWORD = '583920';
const LABEL = 'Enter your 6-digit transaction password';
let staff: Api;

test.beforeAll(async () => {
  staff = await Api.staff();
});

/** An advertiser who may withdraw at once. */
async function readyAdvertiser(amount = '500') {
  const advertiser = await newAdvertiser(staff);
  const { api, user } = advertiser;
  await staff.deposit(user.id, amount);
  await api.post('/set/password', { password: md5(PASSWORD), confirm_password: md5(PASSWORD) });
  await api.post('/bank_card/edit', { ...CARD, password: md5(PASSWORD) });
  return advertiser;
}

function withdrawals(api: Api): Promise<Schemas['WithdrawalPage']> {
  return api.get('/user/withdraw/list');
}

async function enter(page: Page, label: string, digits: string, button: string): Promise<void> {
  await page.getByLabel(label).fill(digits);
  await page.getByRole('button', { name: button, exact: true }).click();
}

async function fillCard(page: Page, account = CARD.bank_account): Promise<void> {
  await page.getByLabel('Bank name').fill(CARD.card_name);
  await page.getByLabel('Account holder').fill(CARD.user_name);
  await page.getByLabel('Mobile number').fill(CARD.mobile);
  await page.getByLabel('Account number').fill(account);
  await page.getByLabel('Branch').fill(CARD.branch_name);
  await page.getByRole('button', { name: 'Review' }).click();
}

test('from blocked to withdrawn: each blocker is removed where it says so', async ({ page }) => {
  const { api, user } = await newAdvertiser(staff);
  await staff.post('/admin/wallet/start_up_funds', { user_id: user.id, action: 'grant', amount: '100' });
  await openAs(page, api.token, '/wallet/withdraw');
  const main = page.getByRole('main');
  await expect(main).toContainText('Please set a transaction password first');
  await expect(main).toContainText('Bind where your withdrawals should go.');
  await expect(main).toContainText('Start-up funds 100.00 USD');

  await page.getByRole('link', { name: 'Set password' }).click();
  await enter(page, 'Choose a 6-digit transaction password', '123456', 'Continue');
  await expect(main).toContainText('This transaction password is too easy to guess');
  const first = page.getByLabel('Choose a 6-digit transaction password');
  await expect(first).toHaveAttribute('aria-invalid', 'true');
  await enter(page, 'Choose a 6-digit transaction password', PASSWORD, 'Continue');
  await enter(page, 'Enter it once more', PASSWORD.split('').reverse().join(''), 'Set password');
  await expect(main).toContainText('The two passwords entered do not match');
  await enter(page, 'Enter it once more', PASSWORD, 'Set password');
  await expect(page.getByRole('status').filter({ hasText: 'Set successfully' })).toBeVisible();
  await expect(page).toHaveURL(/#\/wallet\/withdraw$/);

  await page.getByRole('link', { name: 'Bind', exact: true }).click();
  await fillCard(page);
  const sheet = page.getByRole('dialog');
  await expect(sheet).toContainText('DE89 3704 0044 0532 0130 00');
  await sheet.getByRole('button', { name: 'Bind' }).click();
  await enter(page, LABEL, PASSWORD, 'OK');
  await expect(page.getByRole('status').filter({ hasText: 'Bind successful' })).toBeVisible();
  await expect(page).toHaveURL(/#\/wallet\/withdraw$/);

  await page.getByRole('button', { name: 'Return' }).click();
  await sheet.getByRole('button', { name: 'Return' }).click();
  await expect(sheet).toContainText('100.00 USD leave your available funds at once.');
  await sheet.getByRole('button', { name: 'Return' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Start-up funds returned' })).toBeVisible();
  await expect(main).toContainText('There is nothing to withdraw at the moment.');
  await page.getByRole('button', { name: 'Deposit' }).click();
  await expect(page.getByRole('dialog', { name: 'Deposit' })).toContainText(user.username);
  await staff.deposit(user.id, '500');
  await page.reload();
  await expect(page.getByLabel('Amount')).toBeVisible();
});

test('a withdrawal is reviewed, refused with a wrong password, sent once with the right one, and followed', async ({
  page,
}) => {
  const { api } = await readyAdvertiser();
  await openAs(page, api.token, '/wallet');
  await page.getByRole('link', { name: 'Withdraw', exact: true }).click();
  const amount = page.getByLabel('Amount');
  await amount.fill('500.01');
  await page.getByRole('button', { name: 'Review' }).click();
  await expect(page.getByText('The amount cannot exceed your available funds')).toBeVisible();
  await expect(amount).toBeFocused();
  await amount.fill('150');
  await amount.press('Enter');
  const sheet = page.getByRole('dialog');
  await expect(sheet).toContainText('North Sea Bank ****3000');
  await expect(sheet).toContainText('Available after350.00');
  await sheet.getByRole('button', { name: 'Withdraw' }).click();
  const okButton = sheet.getByRole('button', { name: 'OK' });
  const password = sheet.getByLabel(LABEL);
  await password.pressSequentially('11a11');
  await expect(password).toHaveValue('1111');
  await expect(okButton).toBeDisabled();
  await password.pressSequentially('19');
  await okButton.click();
  await expect(password).toHaveAttribute('aria-invalid', 'true');
  await expect(password).toHaveValue('111119');
  await password.fill(PASSWORD);
  await okButton.dblclick();
  await expect(page.getByRole('status').filter({ hasText: 'Submitted successfully' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Withdrawal submitted' })).toBeVisible();

  const { items } = await withdrawals(api);
  expect(items.map((item) => item.amount)).toEqual(['150.00']);
  const id = items[0]?.id ?? '';
  await expect(page.getByText(id)).toBeVisible();
  await staff.post('/admin/withdraw/decide', {
    id,
    decision: 'rejected',
    reason: 'The account number does not exist',
  });
  await page.getByRole('link', { name: 'See all withdrawals' }).click();
  await page.reload();
  const record = page.getByRole('listitem').filter({ hasText: '150.00' });
  await expect(record).toContainText('Rejected');
  await expect(record).toContainText('The account number does not exist');
  await record.getByRole('link').click();
  await expect(page.getByRole('heading', { name: 'Withdrawal rejected' })).toBeVisible();
});

test('what the server refuses after the review is said at the amount', async ({ page }) => {
  const { api, user } = await readyAdvertiser();
  await openAs(page, api.token, '/wallet/withdraw?amount=400');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await staff.post('/admin/wallet/chargeback', { user_id: user.id, amount: '300', remark: 'Returned' });
  await enter(page, LABEL, PASSWORD, 'OK');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByLabel('Amount')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByLabel('Amount')).toHaveValue('400');
  expect((await withdrawals(api)).items).toHaveLength(0);
});

test('a statement is downloaded and proves itself; a tampered one is found', async ({ page }, info) => {
  const { api } = await readyAdvertiser('1250.50');
  await openAs(page, api.token, '/wallet/fund-details?view=statement');
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const download = await waiting;
  expect(download.suggestedFilename()).toMatch(/^adfolio-statement-\d{4}-\d{2}\.csv$/);
  const csv = await readFile(await download.path(), 'utf8');
  const input = page.getByLabel('Choose a statement file');
  await input.setInputFiles(await download.path());
  await expect(page.getByText('The chain is unbroken')).toBeVisible();
  await expect(page.getByText('1 transaction checked')).toBeVisible();

  const tampered = info.outputPath('tampered.csv');
  await writeFile(tampered, csv.replaceAll('1250.50', '9250.50'));
  await input.setInputFiles(tampered);
  await expect(page.getByText('This is not the original statement')).toBeVisible();
  await expect(page.getByText('Row 2, transaction 1')).toBeVisible();

  await page.getByRole('button', { name: 'Verify this month' }).click();
  await expect(page.getByText('The chain is unbroken')).toBeVisible();
});

test('the transaction password is changed by the current one, which counts no more then', async ({
  page,
}) => {
  const { api } = await readyAdvertiser();
  await openAs(page, api.token, '/wallet');
  await page.getByRole('link', { name: 'Transaction password' }).click();
  await enter(page, 'Enter your current transaction password', '111119', 'Continue');
  await expect(page.getByLabel('Enter your current transaction password')).toHaveAttribute(
    'aria-invalid',
    'true',
  );
  await enter(page, 'Enter your current transaction password', PASSWORD, 'Continue');
  await enter(page, 'Enter your new transaction password', '907163', 'Continue');
  await enter(page, 'Enter it once more', '907163', 'Set password');
  await expect(page.getByRole('status').filter({ hasText: 'Set successfully' })).toBeVisible();
  await expect(page).toHaveURL(/#\/wallet$/);
  await api.post('/check/password', { password: md5('907163') });
});

test('another card is bound only after a question, the same one not at all, and then withdrawals wait', async ({
  page,
}) => {
  const { api } = await readyAdvertiser();
  await openAs(page, api.token, '/wallet/bind-card');
  await expect(page.getByRole('region', { name: 'Bound bank card' })).toContainText('****3000');
  await page.getByRole('button', { name: 'Bind another' }).click();
  const dialog = page.getByRole('dialog', { name: 'Already bound' });
  await expect(dialog).toContainText('Bank card ****3000 is already bound');
  await dialog.getByRole('button', { name: 'Bind another' }).click();
  await page.getByLabel('Account number').fill(CARD.bank_account);
  await page.getByRole('button', { name: 'Review' }).click();
  const sheet = page.getByRole('dialog', { name: 'Check what you bind' });
  await sheet.getByRole('button', { name: 'Bind' }).click();
  await enter(page, LABEL, PASSWORD, 'OK');
  // The server's own message: nothing was changed.
  await expect(page.getByRole('dialog').getByRole('alert')).not.toBeEmpty();
  await page.keyboard.press('Escape');
  await page.getByLabel('Account number').fill('GB33BUKB20201555555555');
  await page.getByRole('button', { name: 'Review' }).click();
  await sheet.getByRole('button', { name: 'Bind' }).click();
  await enter(page, LABEL, PASSWORD, 'OK');
  await expect(page.getByRole('status').filter({ hasText: 'Bind successful' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Bound bank card' })).toContainText('****5555');
  // A card that somebody else has swapped must not be paid to at once.
  await openAs(page, api.token, '/wallet/withdraw');
  await expect(
    page.getByRole('region', { name: /^Withdrawals and exchanges are paused until / }),
  ).toBeVisible();
  await expect(page.getByLabel('Amount')).toBeHidden();
});

test('a movement opens its details and leads to the withdrawal that it belongs to', async ({ page }) => {
  const { api } = await readyAdvertiser();
  await api.post('/user/withdraw', { amount: '120', method: 'bank_card', password: md5(PASSWORD) });
  await openAs(page, api.token, '/wallet/fund-details?type=manual_payout');
  await page
    .getByRole('button', { name: /^Withdrawal, −120\.00/ })
    .first()
    .click();
  const sheet = page.getByRole('dialog', { name: 'Movement' });
  await expect(sheet).toContainText(/[0-9a-f]{64}/);
  await sheet.getByRole('link', { name: 'See withdrawal' }).click();
  await expect(page.getByRole('heading', { name: 'Withdrawal submitted' })).toBeVisible();
});
