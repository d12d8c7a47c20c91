import { expect, type Page, test } from '@playwright/test';
import type { components } from '../src/lib/api/schema';
import { Api, newAdvertiser, uniqueName } from './support/api';
import { openAs } from './support/app';
import { ADMIN, goTo, logIn } from './support/console';
import { chooseReports, fillInPush, newProduct, planOf } from './support/plans';

type Schemas = components['schemas'];

let staff: Api;

test.beforeAll(async () => {
  staff = await Api.staff();
});

async function pushPlan(page: Page, product: Schemas['Product'], username: string): Promise<void> {
  await fillInPush(page, { product, username, amount: '900' });
  await page.getByRole('button', { name: 'Review' }).click();
  // Above what the product takes: the field says so, and nothing else is lost.
  await expect(page.getByLabel('Proposed amount')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Proposed amount').fill('300');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Push to 1 user' }).dblclick();
  await expect(page.getByText('1 plan was pushed.').first()).toBeVisible();
}

test('a plan is pushed, reported by a file with a bad line, finished and settled', async ({ page }) => {
  const { api, user } = await newAdvertiser(staff);
  await staff.deposit(user.id, '1000.00');
  const product = await newProduct(staff);
  await logIn(page, ADMIN);
  await pushPlan(page, product, user.username);
  const waiting = await api.get<Schemas['PlanPage']>('/plan/order/list');
  expect(waiting.items.map(({ put_amount, status }) => [put_amount, status])).toEqual([
    ['300.00', 'waiting'],
  ]);
  const plan = await api.post<Schemas['Plan']>('/plan/order/put', {
    plan_id: waiting.items[0]?.id,
    amount: '300.00',
  });

  await chooseReports(page, `network-${uniqueName()}`, plan.plan_number);
  // The names of the columns are understood; the person only looks.
  await expect(page.getByLabel('Plan number')).toHaveValue('plan');
  await page.getByRole('button', { name: 'Dry run' }).click();
  await expect(page.getByRole('heading', { name: 'What the file would bring' })).toBeVisible();
  await expect(page.getByRole('table', { name: 'Bad lines' })).toContainText('3');
  expect((await planOf(api)).consumed).toBe('0.00');
  await page.getByLabel('Reason').fill('Reports of today');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByText('The rows were taken.')).toBeVisible();
  await expect.poll(async () => (await planOf(api)).consumed).toBe('40.00');

  await goTo(page, `/plans/${plan.id}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(plan.plan_number);
  await page.getByRole('button', { name: 'Finish delivery' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('region', { name: 'This changes' })).toContainText('260.00');
  await dialog.getByLabel('Reason').fill('The advertiser asked for it');
  await dialog.getByRole('button', { name: 'Finish delivery' }).click();
  await expect(page.getByText(`Delivery of plan ${plan.plan_number} has ended.`)).toBeVisible();
  await expect.poll(async () => (await planOf(api)).status).toBe('waiting_settlement');
  await page.reload();

  await page.getByRole('button', { name: 'Settle' }).click();
  await expect(dialog.getByRole('region', { name: 'This changes' })).toContainText('55.50');
  await dialog.getByRole('button', { name: 'Settle' }).click();
  await expect(page.getByText(`Plan ${plan.plan_number} is settled.`)).toBeVisible();
  const property = await api.get<Schemas['Property']>('/user/property');
  // 1,000.00 less 40.00 spent, and 55.50 earned.
  expect(property).toMatchObject({
    available_funds: '1015.50',
    to_be_consumed: '0.00',
    to_be_settled: '0.00',
  });

  await goTo(page, `/audit?user_id=${user.id}`);
  await page.getByRole('button', { name: /plan\.finish/ }).click();
  await expect(page.getByRole('dialog', { name: 'Audit entry' })).toBeVisible();
});

test('an announcement is written, looked at as a phone shows it, sent once, and arrives', async ({
  page,
  browser,
}) => {
  const { api, user } = await newAdvertiser(staff);
  const title = `Maintenance ${uniqueName()}`;
  await logIn(page, ADMIN);
  await goTo(page, '/notices/new');
  await page.getByLabel('Chosen users').check();
  await page.getByRole('searchbox', { name: /Find users/ }).fill(user.username);
  await page.getByRole('button', { name: `Add ${user.username}` }).click();
  await page.getByLabel('Title').fill(title);
  await page.getByRole('textbox', { name: 'Text' }).fill('The console is away from 02:00 to 03:00 UTC.');
  await expect(page.getByRole('region', { name: 'Preview on a phone' })).toContainText(title);
  // What was typed is there again after the page was left.
  await goTo(page, '/today');
  await goTo(page, '/notices/new');
  await expect(page.getByLabel('Title')).toHaveValue(title);
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Send to 1 user' }).dblclick();
  await expect(page.getByRole('heading', { name: 'The announcement is sent' })).toBeVisible();

  const phone = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
  await openAs(phone, api.token, '/notification');
  await expect(phone.getByText(title)).toBeVisible();
  const { items } = await api.post<Schemas['NotificationPage']>('/user/notifications', {});
  expect(items.filter((notice) => notice.title === title)).toHaveLength(1);
  await phone.context().close();

  await goTo(page, '/notices');
  await expect(page.getByRole('row').filter({ hasText: title })).toContainText('Published');
});

test('a scheduled announcement is changed by two, and withdrawn before anybody has it', async ({ page }) => {
  const title = `Offer ${uniqueName()}`;
  await logIn(page, ADMIN);
  await goTo(page, '/notices/new');
  await page.getByLabel('Title').fill(title);
  await page.getByRole('textbox', { name: 'Text' }).fill('Ten percent more.');
  await page.getByLabel('At a date and time').check();
  const inTwoDays = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 16);
  await page.getByLabel('Date and time', { exact: true }).fill(inTwoDays);
  await page.getByRole('button', { name: 'Review' }).click();
  await expect(page.getByRole('region', { name: 'Review', exact: true })).toContainText('Counted now');
  await page.getByRole('button', { name: 'Schedule' }).click();
  await page.getByRole('link', { name: 'See the announcement' }).click();
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Title').fill(`${title}, mine`);
  const { items } = await staff.get<Schemas['AnnouncementPage']>('/admin/announcement/list?state=scheduled');
  const made = items.find((announcement) => announcement.title.en === title);
  await staff.post('/admin/announcement/edit', { id: made?.id, version: 1, category: 'activity' });
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('button', { name: 'Read it anew' }).click();
  await expect(page.getByRole('region', { name: 'Changed meanwhile' })).toContainText('Activity');
  await expect(page.getByLabel('Title')).toHaveValue(`${title}, mine`);
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('heading', { name: `${title}, mine`, level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'Withdraw' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('Postponed');
  await dialog.getByRole('button', { name: 'Withdraw' }).click();
  await expect(page.getByText('Withdrawn', { exact: true })).toBeVisible();
});

test('a scheduled announcement names its recipients, and one of them is taken away', async ({ page }) => {
  const [one, other] = [(await newAdvertiser(staff)).user, (await newAdvertiser(staff)).user];
  const { id } = await staff.post<Schemas['PublishedNotification']>('/admin/notification/create', {
    category: 'activity',
    to: [one.id, other.id],
    title: { en: `Offer ${uniqueName()}` },
    content: { en: 'Ten percent more.' },
    publish_at: new Date(Date.now() + 2 * 86_400_000).toISOString(),
  });
  await logIn(page, ADMIN);
  await goTo(page, `/notices/${id}`);
  await expect(page.getByRole('link', { name: one.username })).toBeVisible();
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await page.getByRole('button', { name: `Remove ${one.username}` }).click();
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('link', { name: other.username })).toBeVisible();
  await expect(page.getByRole('link', { name: one.username })).toHaveCount(0);
});

test('feedback is answered, and the user reads the answer', async ({ page }) => {
  const { api } = await newAdvertiser(staff);
  const topic = `Question ${uniqueName()}`;
  await api.post('/feedback', { topic, content: 'How do I change my bank card?', images: [] });
  await logIn(page, ADMIN);
  await goTo(page, '/feedback');
  await page.getByRole('button', { name: `Open feedback: ${topic}` }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('How do I change my bank card?');
  await dialog.getByLabel('Reply to the user').fill('Under Wallet, then Bank card.');
  await dialog.getByRole('button', { name: 'Close feedback' }).click();
  await expect(page.getByText(/gets the reply as a notification/)).toBeVisible();
  await expect
    .poll(async () => JSON.stringify(await api.post('/user/notifications', {})))
    .toContain('Under Wallet, then Bank card.');
});

test('licence keys are shown once, with a file', async ({ page }) => {
  await logIn(page, ADMIN);
  await goTo(page, '/licences');
  await page.getByRole('button', { name: 'Issue keys' }).click();
  const dialog = page.getByRole('dialog');
  const note = `E2E ${uniqueName()}`;
  await dialog.getByLabel('Number of keys').fill('501');
  await dialog.getByRole('button', { name: 'Issue keys' }).click();
  await expect(dialog.getByLabel('Number of keys')).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByLabel('Number of keys').fill('3');
  await dialog.getByLabel('Note').fill(note);
  await dialog.getByRole('button', { name: 'Issue keys' }).click();
  await expect(dialog.getByText('3 keys are issued.')).toBeVisible();
  const saving = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save as CSV' }).click();
  expect((await saving).suggestedFilename()).toMatch(/\.csv$/);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('cell', { name: note })).toHaveCount(3);
});
