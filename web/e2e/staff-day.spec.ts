import { type Browser, expect, type Page, test } from '@playwright/test';
import { LANGUAGES } from '../src/i18n/languages';
import type { components } from '../src/lib/api/schema';
import { Api, newAdvertiser, uniqueName } from './support/api';
import { openAs } from './support/app';
import { decideApproval } from './support/approvals';
import { currencyOf, statementOf, upload } from './support/bank-file';
import {
  goTo,
  logIn,
  logInWithCode,
  newMember,
  openConsole,
  readOutcome,
  SECOND_ADMIN,
  setUpApp,
} from './support/console';
import {
  chooseReports,
  fillInPush,
  finishDelivery,
  newProduct,
  planOf,
  releaseReports,
  settle,
} from './support/plans';
import { nextTotp } from './support/totp';
import { askForWithdrawal } from './support/withdrawals';

type Schemas = components['schemas'];

/** What the day leaves in the audit log in the member's name. */
const AUDITED = [
  'auth.change_staff_password',
  'auth.staff_login',
  'wallet.bank_statement_kept',
  'plan.push',
  'plan.import_delivery',
  'plan.finish',
  'notification.feedback_close',
  'notification.create',
];

const funds = async (api: Api) => (await api.get<Schemas['Property']>('/user/property')).available_funds;

/** An app of this advertiser on a phone, on the page of notifications. */
async function phoneOf(browser: Browser, token: string): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const phone = await context.newPage();
  await openAs(phone, token, '/notification');
  return phone;
}

/** Chooses an own password in the place of the one-time one, sets up an app, and logs in with both. */
async function enrol(page: Page, username: string, oneTime: string): Promise<void> {
  const password = `${uniqueName()} quay`;
  await logIn(page, { username, password: oneTime });
  await expect(page.getByRole('heading', { name: 'Choose your own password' })).toBeVisible();
  await page.getByLabel('One-time password').fill(oneTime);
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByLabel('New password again').fill(password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('Your password has changed. Log in with the new one.')).toBeVisible();
  await logIn(page, { username, password });
  const secret = await setUpApp(page);
  await page.getByRole('button', { name: /^Your account/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await logInWithCode(page, { username, password }, nextTotp(secret));
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
}

/** Writes an announcement to one user in each language, `tag` in all titles. */
async function write(page: Page, username: string, tag: string): Promise<void> {
  await goTo(page, '/notices/new');
  await page.getByLabel('Chosen users').check();
  await page.getByRole('searchbox', { name: /Find users/ }).fill(username);
  await page.getByRole('button', { name: `Add ${username}` }).click();
  for (const { nativeName } of LANGUAGES) {
    await page.getByRole('tab', { name: nativeName }).click();
    await page.getByLabel('Title').fill(`${nativeName} ${tag}`);
    await page.getByRole('textbox', { name: 'Text' }).fill(`${nativeName}: 02:00–03:00 UTC.`);
  }
  await expect(page.getByText('All twelve languages are written.')).toBeVisible();
}

test('a day of a member of staff, from the first login to the audit log', async ({ page, browser }) => {
  test.setTimeout(240_000);
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  const member = await newMember(staff, 'admin');
  const { one_time_password: oneTime } = await staff.post<Schemas['StaffPassword']>('/admin/staff/password', {
    staff_id: member.id,
    reason: 'First day',
  });
  const second = await openConsole(browser, SECOND_ADMIN);
  const phone = await phoneOf(browser, api.token);

  await test.step('logs in, chooses a password and sets up an app', () =>
    enrol(page, member.username, oneTime ?? ''));

  await test.step('credits a payment from a bank file, which a second person approves', async () => {
    const tag = uniqueName();
    const text = `Top up ${user.payment_reference}`;
    const payment = { amount: '2000.00', text, reference: tag };
    await upload(page, `${tag}.csv`, statementOf(await currencyOf(api), [payment]));
    await expect(page.getByText('The statement is kept: 1 new line.')).toBeVisible();
    const line = page.getByRole('row').filter({ hasText: user.payment_reference });
    await line.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Credit' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Credit' }).click();
    await readOutcome(page, 'A second person must approve this');
    await expect(line).toContainText('Waiting for approval');
    expect(await funds(api)).toBe('0.00');
    await decideApproval(second, 'Approve', { userId: user.id, request: 'Deposit' });
    await expect.poll(() => funds(api)).toBe('2000.00');
    // Nobody loads the page anew: the decision of the other person arrives by itself.
    await expect(line).toContainText('Credited');
  });

  await test.step('pushes a plan, which the advertiser takes', async () => {
    const product = await newProduct(staff);
    await fillInPush(page, { product, username: user.username, amount: '300' });
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Push to 1 user' }).click();
    await expect(page.getByText('1 plan was pushed.').first()).toBeVisible();
    await api.post('/plan/order/put', { plan_id: (await planOf(api)).id, amount: '300.00' });
  });
  const plan = await planOf(api);

  await test.step('imports delivery with a bad line, which a second person releases', async () => {
    const source = `network-${uniqueName()}`;
    await chooseReports(page, source, plan.plan_number);
    await page.getByRole('button', { name: 'Dry run' }).click();
    await expect(page.getByRole('table', { name: 'Bad lines' })).toContainText('NOSUCHPLAN');
    await page.getByLabel('Reason').fill('Reports of today');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(page.getByText(/waits until another member of staff releases it/)).toBeVisible();
    expect((await planOf(api)).consumed).toBe('0.00');
    await releaseReports(second, source);
    await expect.poll(async () => (await planOf(api)).consumed).toBe('40.00');
  });

  await test.step('pays a withdrawal, which takes two', async () => {
    await askForWithdrawal(api, '1200.00');
    await goTo(page, `/withdrawals?user_id=${user.id}`);
    await page.getByRole('button', { name: `Actions for ${user.username}, 1200.00` }).click();
    await page.getByRole('menuitem', { name: 'Mark as paid' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as paid' }).click();
    await readOutcome(page, 'A second person must approve this');
    const request = { userId: user.id, request: 'Paid withdrawal' };
    const own = await decideApproval(page, 'Approve', request);
    await expect(own).toContainText('You asked for this yourself');
    await own.getByRole('button', { name: 'Cancel' }).click();
    const status = async () =>
      (await api.get<Schemas['WithdrawalPage']>('/user/withdraw/list')).items[0]?.status;
    expect(await status()).toBe('pending');
    await decideApproval(second, 'Approve', request);
    await expect.poll(status).toBe('paid');
  });

  await test.step('ends the delivery and settles the plan, which takes two', async () => {
    await goTo(page, `/plans/${plan.id}`);
    await finishDelivery(page);
    await expect.poll(async () => (await planOf(api)).status).toBe('waiting_settlement');
    await page.getByRole('button', { name: 'Settle' }).click();
    // What will be posted, before it is.
    const changes = page.getByRole('dialog').getByRole('region', { name: 'This changes' });
    await expect(changes).toContainText('55.50');
    await expect(changes).toContainText('260.00');
    await page.getByRole('dialog').getByRole('button', { name: 'Settle' }).click();
    await expect(page.getByText(/Somebody else must do the same/)).toBeVisible();
    await goTo(second, `/plans/${plan.id}`);
    await settle(second);
    await expect.poll(async () => (await planOf(api)).status).toBe('settled');
    // 2,000.00 less 1,200.00 withdrawn and 40.00 spent, and 55.50 earned.
    expect(await funds(api)).toBe('815.50');
  });

  await test.step('answers feedback', async () => {
    const topic = `Question ${uniqueName()}`;
    await api.post('/feedback', { topic, content: 'How do I change my bank card?', images: [] });
    await goTo(page, '/feedback');
    await page.getByRole('button', { name: `Open feedback: ${topic}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reply to the user').fill('Under Wallet, then Bank card.');
    await dialog.getByRole('button', { name: 'Close feedback' }).click();
    await expect(page.getByText(/gets the reply as a notification/)).toBeVisible();
    await phone.getByRole('button', { name: /Reply to your feedback/ }).click();
    await expect(phone.getByText('Under Wallet, then Bank card.')).toBeVisible();
  });

  await test.step('announces something in twelve languages, which arrives on the phone', async () => {
    const tag = uniqueName();
    await write(page, user.username, tag);
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Send to 1 user' }).click();
    await expect(page.getByRole('heading', { name: 'The announcement is sent' })).toBeVisible();
    await expect(phone.getByText(`English ${tag}`)).toBeVisible();
    for (const { code, nativeName } of LANGUAGES) {
      await phone.evaluate((language) => localStorage.setItem('adfolio.lang', language), code);
      await phone.reload();
      await expect(phone.getByText(`${nativeName} ${tag}`), code).toBeVisible();
    }
  });

  await test.step('reads in the audit log what was done', async () => {
    for (const action of AUDITED) {
      await goTo(page, `/audit?staff_id=${member.id}&action=${action}`);
      const opener = page.getByRole('button', { name: `Open entry: ${action}, ${member.username}` });
      await expect(opener.first(), action).toBeVisible();
    }
    await goTo(page, `/audit?staff_id=${member.id}&action=plan.finish`);
    await page.getByRole('button', { name: 'Open entry: plan.finish,' }).click();
    const entry = page.getByRole('dialog', { name: 'Audit entry' });
    await expect(entry).toContainText('The advertiser asked for it');
    await expect(entry.getByRole('row').filter({ hasText: 'status' })).toContainText('put_finished');
  });

  await second.context().close();
  await phone.context().close();
});
