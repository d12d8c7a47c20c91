import { expect, type Page, test } from '@playwright/test';
import type { components } from '../src/lib/api/schema';
import { Api, newAdvertiser } from './support/api';
import { openAs } from './support/app';
import { newCode, newExchanger } from './support/exchange';
import { enterPayPassword, PAY_PASSWORD } from './support/pay-password';

type Schemas = components['schemas'];

const PATH = '/wallet/foreign-exchange';
const _MINUTE_MS = 60_000;

async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Acceptance code').fill(code);
  await page.getByRole('button', { name: 'Find acceptor' }).click();
}

async function reviewAmount(page: Page, label: string, amount: string) {
  await page.getByLabel(label).fill(amount);
  await page.getByRole('button', { name: 'Review' }).click();
  return page.getByRole('dialog', { name: 'Review your exchange' });
}

test('wrong code, limits, balance and password are refused where they were typed', async ({ page }) => {
  const { api } = await newExchanger(await Api.staff(), '300.00');
  await openAs(page, api.token, PATH);
  const code = page.getByLabel('Acceptance code');
  await enterCode(page, 'NO-SUCH-CODE');
  await expect(page.getByText('Acceptance code error, please re-enter')).toBeVisible();
  await expect(code).toBeFocused();
  await expect(code).toHaveValue('NO-SUCH-CODE');

  // The right code of the other kind is refused, too.
  await page.getByRole('tab', { name: 'Enterprise' }).click();
  await expect(page).toHaveURL(/kind=enterprise$/);
  await enterCode(page, 'DEMO-PERSONAL');
  await expect(page.getByText('Acceptance code error, please re-enter')).toBeVisible();
  await page.getByRole('tab', { name: 'Personal' }).click();
  await enterCode(page, 'demo-personal');
  await expect(page.getByRole('heading', { name: 'Lena Hoffmann' })).toBeVisible();

  const amount = page.getByLabel('Amount to exchange');
  for (const [typed, text] of [
    ['49.99', 'At least 50.00'],
    ['2000.01', 'At most 2,000.00'],
    ['300.01', 'Insufficient balance'],
    ['abc', 'Please enter a correct amount'],
  ] as const) {
    await reviewAmount(page, 'Amount to exchange', typed);
    await expect(page.getByText(text)).toBeVisible();
    await expect(amount).toBeFocused();
  }

  const sheet = await reviewAmount(page, 'Amount to exchange', '100');
  await sheet.getByRole('button', { name: 'Exchange', exact: true }).click();
  await (await enterPayPassword(page, '111111')).click();
  await expect(page.getByText('Please enter the correct transaction password')).toBeVisible();
  const { items } = await api.get<Schemas['ExchangeOrderPage']>('/acceptor/order/list');
  expect(items).toEqual([]);
});

test('an exchange is placed once, cancelled, placed again and completed by staff', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user } = await newExchanger(staff);
  const code = await newCode(staff, user.id);
  await openAs(page, api.token, `${PATH}?kind=enterprise`);
  await enterCode(page, code);
  await expect(page.getByRole('timer')).toHaveText(/^in 00:0\d:\d\d$/);

  const sheet = await reviewAmount(page, 'Amount to exchange', '100');
  await expect(sheet).toContainText('You give100.00 USD');
  await expect(sheet).toContainText('You get15,399 JPY');
  await expect(sheet).toContainText('Rate1 USD = 153.9951 JPY');
  await expect(sheet).toContainText('AcceptorHarbour Exchange Ltd');
  await expect(sheet).toContainText('Available after900.00');
  await sheet.getByRole('button', { name: 'Exchange', exact: true }).click();
  await (await enterPayPassword(page)).dblclick();
  await expect(page.getByRole('status').filter({ hasText: 'Submitted successfully' })).toBeVisible();
  const current = page.getByRole('region', { name: 'Current exchange' });
  await expect(current).toContainText('Pending');
  await expect(page.getByRole('main')).toContainText('Available funds900.00');
  const records = page.getByRole('region', { name: 'Transaction records' });
  await expect(records.getByRole('listitem')).toHaveCount(1);

  await enterCode(page, code);
  await expect(page.getByText('Another exchange is still open.', { exact: false })).toBeVisible();
  await current.getByRole('button', { name: 'Cancel exchange' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel this exchange?' });
  await dialog.getByRole('button', { name: 'Keep it' }).click();
  await expect(dialog).toHaveCount(0);
  await current.getByRole('button', { name: 'Cancel exchange' }).click();
  await dialog.getByRole('button', { name: 'Cancel exchange' }).click();
  await expect(current).toHaveCount(0);
  await expect(records).toContainText('Cancelled');
  await expect(page.getByRole('main')).toContainText('Available funds1,000.00');

  await reviewAmount(page, 'Amount to exchange', '250.50');
  await sheet.getByRole('button', { name: 'Exchange', exact: true }).click();
  await (await enterPayPassword(page)).click();
  await expect(current).toBeVisible();
  const { items } = await api.get<Schemas['ExchangeOrderPage']>('/acceptor/order/list');
  await staff.post('/admin/exchange/decide', {
    id: items[0]?.id,
    decision: 'completed',
    reason: 'paid out',
  });
  await expect(current).toHaveCount(0, { timeout: 30_000 });
  await expect(records.getByRole('listitem').first()).toContainText('Completed');
  await records
    .getByRole('button', { name: /Harbour/ })
    .first()
    .click();
  const detail = page.getByRole('dialog', { name: 'Exchange' });
  await expect(detail).toContainText('38,575 JPY');
  await page.goBack();
  await expect(detail).toHaveCount(0);
  await expect(page).toHaveURL(new RegExp(`#${PATH}\\?kind=enterprise$`));
});

test('money that comes in is credited once staff complete the exchange', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user } = await newExchanger(staff, '10.00');
  const code = await newCode(staff, user.id, {
    direction: 'currency_to_wallet',
    currency: 'EUR',
    rate: '0.9185',
  });
  await openAs(page, api.token, `${PATH}?kind=enterprise`);
  await enterCode(page, code);
  const sheet = await reviewAmount(page, 'Amount to receive', '200');
  await expect(sheet).toContainText('You give183.70 EUR');
  await expect(sheet).toContainText('Available once completed210.00');
  await sheet.getByRole('button', { name: 'Exchange', exact: true }).click();
  await (await enterPayPassword(page)).click();
  await expect(page.getByRole('region', { name: 'Current exchange' })).toContainText(
    'the money is credited to your wallet',
  );
  await expect(page.getByRole('main')).toContainText('Available funds10.00');
  const { items } = await api.get<Schemas['ExchangeOrderPage']>('/acceptor/order/list');
  await staff.post('/admin/exchange/decide', {
    id: items[0]?.id,
    decision: 'completed',
    reason: 'paid in',
  });
  await expect(page.getByRole('region', { name: 'Current exchange' })).toHaveCount(0, { timeout: 30_000 });
  await expect(page.getByRole('main')).toContainText('Available funds210.00', { timeout: 30_000 });
});

test('an exchange opened elsewhere meanwhile is shown in place of the review', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user } = await newExchanger(staff);
  const code = await newCode(staff, user.id);
  await openAs(page, api.token, `${PATH}?kind=enterprise`);
  await enterCode(page, code);
  const sheet = await reviewAmount(page, 'Amount to exchange', '100');
  const other = await page.context().newPage();
  await openAs(other, api.token, `${PATH}?kind=enterprise`);
  await enterCode(other, code);
  const otherSheet = await reviewAmount(other, 'Amount to exchange', '50');
  await otherSheet.getByRole('button', { name: 'Exchange', exact: true }).click();
  await (await enterPayPassword(other)).click();
  await expect(other.getByRole('region', { name: 'Current exchange' })).toBeVisible();
  await other.close();

  await sheet.getByRole('button', { name: 'Exchange', exact: true }).click();
  await (await enterPayPassword(page)).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByText('Another exchange is still open.', { exact: false })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Current exchange' })).toContainText('50.00');
});

test('without a transaction password the way to one is shown instead of the form and leads back', async ({
  page,
}) => {
  const staff = await Api.staff();
  const { api } = await newAdvertiser(staff);
  await openAs(page, api.token, PATH);
  await enterCode(page, 'DEMO-PERSONAL');
  const notice = page.getByRole('region', { name: 'Before you can exchange' });
  await expect(notice).toContainText('Please set a transaction password first');
  await expect(page.getByLabel('Amount to exchange')).toHaveCount(0);
  await notice.getByRole('link', { name: 'Set password' }).click();
  await page.getByLabel('Choose a 6-digit transaction password').fill(PAY_PASSWORD);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Enter it once more').fill(PAY_PASSWORD);
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByLabel('Amount to exchange')).toBeVisible();
});
