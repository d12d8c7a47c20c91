import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import type { components } from '../src/lib/api/schema';
import { Api, newAdvertiser, uniqueName } from './support/api';
import { currencyOf, statementOf, upload } from './support/bank-file';
import { ADMIN, goTo, logIn, openConsole, SECOND_ADMIN } from './support/console';
import { askForWithdrawal } from './support/withdrawals';

type Schemas = components['schemas'];

const funds = async (api: Api) => (await api.get<Schemas['Property']>('/user/property')).available_funds;

test('a payment is credited from a statement once, and a file with a fault is not kept', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  const currency = await currencyOf(api);
  const tag = uniqueName();
  const matched = { amount: '125.50', text: `Top up ${user.payment_reference}`, reference: `${tag}-1` };
  const stranger = { amount: '7.00', text: 'Interest', reference: `${tag}-2` };
  await logIn(page, ADMIN);

  await upload(page, `${tag}.csv`, statementOf(currency, [matched, { ...stranger, amount: '7.005' }]));
  await expect(page.getByText('Nothing was kept: the file has 1 fault.')).toBeVisible();
  const fault = page.getByRole('table', { name: 'Faults in the file' }).getByRole('row').nth(1);
  await expect(fault).toContainText('3');
  await expect(fault).toContainText('Not an amount that can be posted');
  await expect(fault).toContainText('7.005');

  const right = statementOf(currency, [matched, stranger]);
  await upload(page, `${tag}.csv`, right);
  await expect(page.getByText('The statement is kept: 2 new lines.')).toBeVisible();
  await expect(page.getByRole('heading', { name: `${tag}.csv`, level: 1 })).toBeVisible();
  const rows = page.getByRole('table', { name: `${tag}.csv` }).getByRole('row');
  await expect(rows.filter({ hasText: 'Interest' })).toContainText('Nobody matched');
  const line = rows.filter({ hasText: user.payment_reference });
  await expect(line).toContainText(user.username);
  expect(await funds(api)).toBe('0.00');

  await line.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Credit' }).click();
  const credit = page.getByRole('dialog');
  await expect(credit.getByRole('region', { name: 'This changes' })).toContainText(user.username);
  await credit.getByRole('button', { name: 'Credit' }).dblclick();
  await expect(page.getByText(`The payment is credited to ${user.username}.`)).toBeVisible();
  await expect(line).toContainText('Credited');
  expect(await funds(api)).toBe('125.50');

  const other = rows.filter({ hasText: 'Interest' });
  await other.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Set aside' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('Interest of the bank');
  await page.getByRole('dialog').getByRole('button', { name: 'Set aside' }).click();
  await expect(other).toContainText('Set aside');

  await upload(page, 'again.csv', right);
  await expect(page.getByRole('heading', { name: 'The file is here already' })).toBeVisible();
  await page.getByRole('link', { name: 'See the statement' }).click();
  await expect(page.getByRole('heading', { name: `${tag}.csv`, level: 1 })).toBeVisible();
  expect(await funds(api)).toBe('125.50');
});

test('columns of a bank are mapped once, and all matched lines are credited one after another', async ({
  page,
}) => {
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  const currency = await currencyOf(api);
  const tag = uniqueName();
  const day = new Date().toISOString().slice(0, 10).split('-').reverse().join('.');
  const row = (amount: string, number: number) =>
    `${day};${amount};${currency};${user.payment_reference} ${tag} ${number}`;
  const header = 'Wertstellung;Summe in Euro;Waehrung;Zweck';
  await logIn(page, ADMIN);
  await upload(page, `${tag}.csv`, [header, row('10,00', 1), row('20,25', 2), ''].join('\n'));
  await expect(page.getByText(/^Nothing was kept: no column was found for/)).toBeVisible();
  await page.getByLabel('Booking date').selectOption('Wertstellung');
  await page.getByLabel('Amount').selectOption('Summe in Euro');
  await page.getByLabel('Currency').selectOption('Waehrung');
  await page.getByLabel('Text').selectOption('Zweck');
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByText('The statement is kept: 2 new lines.')).toBeVisible();

  await page.getByRole('button', { name: 'Credit all matched' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('30.25');
  await dialog.getByRole('button', { name: 'Credit 2 lines' }).click();
  await expect(page.getByText('All 2 lines are through')).toBeVisible();
  await expect(page.getByRole('table', { name: 'Outcomes' }).getByText('Credited')).toHaveCount(2);
  expect(await funds(api)).toBe('30.25');

  // The bank's next file has the same columns, and a person only looks.
  await upload(page, `${tag}-2.csv`, [header, row('5,00', 3), ''].join('\n'));
  await expect(page.getByText(/^Files with these columns were mapped before/)).toBeVisible();
  await expect(page.getByLabel('Booking date')).toHaveValue('Wertstellung');
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByText('The statement is kept: 1 new line.')).toBeVisible();
});

test('withdrawals are paid by one file: proposed, released, downloaded, paid', async ({ page, browser }) => {
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  await staff.deposit(user.id, '500.00');
  await askForWithdrawal(api, '120.00');
  await logIn(page, ADMIN);
  await goTo(page, `/withdrawals?user_id=${user.id}`);
  await page.getByRole('checkbox', { name: `Select ${user.username}, 120.00` }).check();
  await expect(page.getByText('1 row selected')).toBeVisible();
  await page.getByRole('button', { name: 'Pay in a batch' }).click();
  const propose = page.getByRole('dialog');
  await expect(propose.getByRole('region', { name: 'This changes' })).toContainText('120.00');
  await propose.getByRole('button', { name: 'Propose batch' }).dblclick();
  await expect(page.getByText(/^The batch of 1 withdrawal is proposed/)).toBeVisible();
  // From now on the batch decides it.
  await expect(page.getByRole('link', { name: 'In a batch' })).toBeVisible();
  await expect(page.getByRole('button', { name: `Actions for ${user.username}, 120.00` })).toHaveCount(0);
  await page.getByRole('link', { name: 'See the batch' }).click();
  await expect(page.getByRole('heading', { name: /^Payment batch of/, level: 1 })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Download pain.001' })).toHaveCount(0);

  // With FOUR_EYES_ABOVE=off anybody releases it; elsewhere somebody else must.
  const other = await openConsole(browser, SECOND_ADMIN);
  await goTo(other, new URL(page.url()).hash.slice(1));
  await other.getByRole('button', { name: 'Release' }).click();
  await other.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
  await expect(other.getByText('The batch is released. Its file can be downloaded.')).toBeVisible();
  await other.context().close();

  await page.reload();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download pain.001' }).click();
  const file = await readFile(await (await saving).path(), 'utf8');
  const { items } = await staff.get<Schemas['StaffWithdrawalPage']>(
    `/admin/withdraw/list?user_id=${user.id}`,
  );
  const endToEndId = items[0]?.id.replaceAll('-', '') ?? '';
  expect(endToEndId).not.toBe('');
  expect(file).toContain(`<EndToEndId>${endToEndId}</EndToEndId>`);
  expect(file).toContain('120.00');

  await page.getByRole('button', { name: 'The bank has paid' }).click();
  const pay = page.getByRole('dialog');
  await pay.getByLabel('Reason').fill('The bank confirmed the order');
  await pay.getByRole('button', { name: 'The bank has paid' }).click();
  await expect(page.getByText('1 withdrawal of the batch is posted as paid.')).toBeVisible();
  const paid = await api.get<Schemas['WithdrawalPage']>('/user/withdraw/list');
  expect(paid.items.map(({ status }) => status)).toEqual(['paid']);
});
