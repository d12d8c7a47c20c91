import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { mayCall, type StaffCall } from '../src/console/api/roles';
import { PAGES, type PagePath, type PageSpec } from '../src/console/pages';
import type { components } from '../src/lib/api/schema';
import { Api, newAdvertiser, uniqueName } from './support/api';
import { currencyOf, statementOf } from './support/bank-file';
import { ADMIN, goTo, logIn, newMember, openConsole, type Role, SECOND_ADMIN } from './support/console';
import { totp } from './support/totp';
import { askForWithdrawal } from './support/withdrawals';

type Schemas = components['schemas'];

const ROLES: readonly Role[] = ['admin', 'support', 'finance', 'operator'];
const WIDTHS = [1280, 1440, 1920, 390];
const NO_ACCESS = 'Your role may not see this page';

/** A button or link, and the call that it leads to. */
type Offer = { name: string; call: StaffCall };

/** What a page offers besides its rows. */
const OFFERS: readonly (Offer & { path: PagePath })[] = [
  { path: '/bank', name: 'Upload statement', call: 'POST /admin/bank/statement' },
  { path: '/bank/upload', name: 'Upload statement', call: 'POST /admin/bank/statement' },
  { path: '/platform', name: 'Entries of Deposits', call: 'GET /admin/platform/entries' },
  { path: '/plans', name: 'Push a plan', call: 'POST /admin/plan/push' },
  { path: '/imports', name: 'Import', call: 'POST /admin/delivery/import' },
  { path: '/sources', name: 'Register a source', call: 'POST /admin/source/save' },
  { path: '/products', name: 'Create product', call: 'POST /admin/product/create' },
  { path: '/networks', name: 'Create network', call: 'POST /admin/network/create' },
  { path: '/placements', name: 'Create placement', call: 'POST /admin/placement/create' },
  { path: '/campaigns', name: 'Create campaign', call: 'POST /admin/coupon/campaign/create' },
  { path: '/acceptors', name: 'Create acceptor', call: 'POST /admin/acceptor/create' },
  { path: '/operators', name: 'Create operator', call: 'POST /admin/operator/create' },
  { path: '/licences', name: 'Issue keys', call: 'POST /admin/license/create' },
  { path: '/hosts', name: 'Register host', call: 'POST /admin/host/create' },
  { path: '/notices', name: 'Write an announcement', call: 'POST /admin/notification/create' },
  { path: '/content', name: 'Versions', call: 'GET /admin/content/versions' },
  { path: '/staff', name: 'New member', call: 'POST /admin/staff/create' },
];

/** What a user's page offers. */
const OFFERS_FOR_USER: readonly Offer[] = [
  { name: 'Post to the wallet', call: 'POST /admin/wallet/deposit' },
  { name: 'Account', call: 'POST /admin/user/state' },
  { name: 'Push a plan', call: 'POST /admin/plan/push' },
  { name: 'Write a notice', call: 'POST /admin/notification/create' },
  { name: 'Audit log', call: 'GET /admin/audit/list' },
  { name: 'Fund details', call: 'GET /admin/user/flow' },
  { name: 'Show the notices', call: 'GET /admin/user/notices' },
];

/** What the page of a user's fund details offers. */
const OFFERS_FOR_FLOW: readonly Offer[] = [{ name: 'Download statement', call: 'GET /admin/user/statement' }];

/** Pages with a parameter in their address, which a role without their call is kept from. */
type Opened = { spec: PageSpec; path: string; offers: readonly Offer[] };

/** The pages without a parameter in their address. */
const OPEN_PAGES = PAGES.filter(({ path }) => !path.includes(':'));

/** What the browser reports as wrong, such as a style that the content security policy refuses. */
function faultsIn(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  return faults;
}

async function isLoaded(page: Page): Promise<void> {
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  await expect(page.locator('main h1')).toBeVisible();
  await expect(page.locator('main [aria-label="Loading…"]')).toHaveCount(0);
}

test('the console is never in a frame, and has no frames, workers or files of the app', async ({
  request,
}) => {
  const response = await request.get('/console/');
  const policy = response.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/frame-src|worker-src|unsafe|https:/);
  expect(response.headers()['cache-control']).toBe('no-cache');
  const scripts = [...(await response.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)];
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.filter(([, path]) => !path?.startsWith('/assets/console/'))).toEqual([]);
  expect((await request.get('/console', { maxRedirects: 0 })).status()).toBe(301);
});

test('a wrong password says so, and a right one opens the console', async ({ page }) => {
  const faults = faultsIn(page);
  await logIn(page, { username: 'admin', password: 'not the password' });
  await expect(page.getByRole('alert')).not.toBeEmpty();
  await logIn(page, ADMIN);
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  // The session belongs to this tab: a reload keeps it, and a logout ends it here and on the server.
  await page.reload();
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  await page.getByRole('button', { name: /^Your account/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page.getByRole('heading', { name: 'Log in', exact: true })).toBeVisible();
  expect(faults).toEqual([]);
});

test('half an hour without activity logs out, with a warning before', async ({ page }) => {
  await page.clock.install();
  await logIn(page, ADMIN);
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  await page.clock.runFor('28:30');
  const warning = page.getByRole('dialog', { name: 'Are you still there?' });
  await expect(warning).toBeVisible();
  await warning.getByRole('button', { name: 'Stay logged in' }).click();
  await expect(warning).toBeHidden();
  await page.clock.runFor('30:10');
  await expect(page.getByText('You were logged out after 30 minutes without activity.')).toBeVisible();
});

test('a second factor is asked for at the login and before an act', async ({ page, browser }) => {
  const staff = await Api.staff();
  const member = await newMember(staff, 'support');
  const { user } = await newAdvertiser(staff);
  await logIn(page, member);
  await goTo(page, '/own-security');
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const app = await page.getByRole('link', { name: 'Open in an app on this device' }).getAttribute('href');
  const secret = new URL(app ?? '').searchParams.get('secret') ?? '';
  await page.getByLabel('I have kept the recovery codes').check();
  await page.getByLabel('Code of the app').fill(totp(secret));
  await page.getByRole('button', { name: 'Activate' }).click();
  await expect(page.getByText(/^Your authenticator app is set up/)).toBeVisible();

  const other = await (await browser.newContext()).newPage();
  await logIn(other, member);
  // A code opens one door once, so the login shows the next one.
  await other.getByLabel('Code').fill(totp(secret, Date.now() + 30_000));
  await other.getByRole('button', { name: 'Log in', exact: true }).click();
  await expect(other.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  await goTo(other, `/users/${user.id}`);
  await expect(other.getByRole('heading', { name: user.username })).toBeVisible();
});

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

const specOf = (path: PagePath): PageSpec => {
  const spec = PAGES.find((known) => known.path === path);
  if (!spec) throw new Error(`no page ${path}`);
  return spec;
};

/** A statement with an open line, a proposed batch, an account of the platform, and a user's fund details. */
async function openedPages(staff: Api, user: string): Promise<Opened[]> {
  const { api, user: payer } = await newAdvertiser(staff);
  const text = `Top up ${payer.payment_reference}`;
  const content = statementOf(await currencyOf(api), [{ amount: '1.00', text, reference: uniqueName() }]);
  const statement = await staff.uploadStatement(content);
  await staff.deposit(payer.id, '80.00');
  await askForWithdrawal(api, '60.00');
  const { items } = await staff.get<Schemas['StaffWithdrawalPage']>(
    `/admin/withdraw/list?user_id=${payer.id}`,
  );
  const batch = await staff.post<Schemas['PaymentBatch']>('/admin/payment_batch/propose', {
    withdrawal_ids: items.map(({ id }) => id),
  });
  return [
    {
      spec: specOf('/bank/:id'),
      path: `/bank/${statement.id}`,
      offers: [{ name: 'Credit all matched', call: 'POST /admin/bank/line/credit' }],
    },
    {
      spec: specOf('/payments/:id'),
      path: `/payments/${batch.id}`,
      offers: [
        { name: 'Release', call: 'POST /admin/payment_batch/decide' },
        { name: 'Dissolve', call: 'POST /admin/payment_batch/decide' },
      ],
    },
    { spec: specOf('/platform/:account'), path: '/platform/deposits_clearing', offers: [] },
    { spec: specOf('/users/:id/flow'), path: `/users/${user}/flow`, offers: OFFERS_FOR_FLOW },
  ];
}

async function checkOpened(page: Page, role: Role, { spec, path, offers }: Opened): Promise<void> {
  const may = spec.needs === null || mayCall(role, spec.needs);
  await goTo(page, path);
  await isLoaded(page);
  await expect(page.getByRole('heading', { name: NO_ACCESS }), `${role} ${path}`).toHaveCount(may ? 0 : 1);
  await expect(page.getByRole('button', { name: 'Try again' }), `${role} ${path}`).toHaveCount(0);
  await checkOffers(page, role, offers);
}

test('each role sees its pages and what it may do there, and nothing else', async ({ browser }) => {
  const staff = await Api.staff();
  const { user } = await newAdvertiser(staff);
  const special = await openedPages(staff, user.id);
  for (const role of ROLES) {
    const page = await openConsole(browser, await newMember(staff, role));
    const faults = faultsIn(page);
    for (const spec of OPEN_PAGES) await checkPage(page, role, spec);
    await goTo(page, `/users/${user.id}`);
    await expect(page.getByRole('heading', { name: user.username, level: 1 })).toBeVisible();
    await checkOffers(page, role, OFFERS_FOR_USER);
    for (const opened of special) await checkOpened(page, role, opened);
    expect(faults, role).toEqual([]);
    await page.context().close();
  }
});

test('no page has a fault that axe finds, in light and dark, or is wider than its window', async ({
  page,
}) => {
  const staff = await Api.staff();
  const { user } = await newAdvertiser(staff);
  await logIn(page, ADMIN);
  const found: string[] = [];
  const [plan] = (await staff.get<Schemas['StaffPlanPage']>('/admin/plan/list?limit=1')).items;
  const special = await openedPages(staff, user.id);
  const paths = [
    ...OPEN_PAGES.map((spec) => spec.path),
    ...special.map(({ path }) => path),
    `/users/${user.id}`,
    `/plans/${plan?.id}`,
  ];
  for (const path of paths) {
    await goTo(page, path);
    await isLoaded(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      found.push(
        ...violations.map(({ id, nodes }) => `${path} ${colorScheme} ${id}: ${nodes[0]?.html.slice(0, 200)}`),
      );
    }
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const over = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      if (over > 0) found.push(`${path} is ${over} px wider than ${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  }
  expect(found.join('\n')).toBe('');
});

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

test('a deposit shows what it changes, is posted once, and a refusal changes nothing', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  await logIn(page, ADMIN);
  await goTo(page, `/users/${user.id}`);
  const open = async (act: string) => {
    await page.getByRole('button', { name: 'Post to the wallet' }).click();
    await page.getByRole('menuitem', { name: act }).click();
    return page.getByRole('dialog');
  };
  const deposit = await open('Credit a deposit');
  await deposit.getByRole('button', { name: 'Post' }).click();
  await expect(deposit.getByLabel('Amount')).toBeFocused();
  await deposit.getByLabel('Amount').fill('250');
  await deposit.getByLabel('Remark, which the user reads').fill('Bank transfer of today');
  await expect(deposit.getByRole('region', { name: 'This changes' })).toContainText('Now 0.00 → Then 250.00');
  await deposit.getByRole('button', { name: 'Post' }).dblclick();
  await expect(page.getByText(/^Posted for/)).toBeVisible();
  expect((await api.get<Schemas['Property']>('/user/property')).available_funds).toBe('250.00');

  const chargeback = await open('Chargeback');
  await chargeback.getByLabel('Amount').fill('300');
  await chargeback.getByLabel('Remark, which the user reads').fill('Reversed by the bank');
  await chargeback.getByRole('button', { name: 'Post' }).click();
  await expect(chargeback).toContainText(/balance/i);
  expect((await api.get<Schemas['Property']>('/user/property')).available_funds).toBe('250.00');
});

test('a withdrawal is decided once, also by two people at the same time', async ({ page, browser }) => {
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  await staff.deposit(user.id, '500.00');
  await askForWithdrawal(api, '120.00');
  await logIn(page, ADMIN);
  const other = await openConsole(browser, SECOND_ADMIN);
  const decide = async (on: Page, act: string) => {
    await goTo(on, `/withdrawals?user_id=${user.id}`);
    await on.getByRole('button', { name: `Actions for ${user.username}, 120.00` }).click();
    await on.getByRole('menuitem', { name: act }).click();
    return on.getByRole('dialog');
  };
  const paid = await decide(page, 'Mark as paid');
  const rejected = await decide(other, 'Reject');
  await paid.getByRole('button', { name: 'Mark as paid' }).click();
  await expect(page.getByText(/is paid\.$/)).toBeVisible();
  await rejected.getByLabel('Reason').fill('The account number is wrong');
  await rejected.getByRole('button', { name: 'Reject' }).click();
  await expect(rejected.getByRole('alert')).not.toBeEmpty();
  const { items } = await api.get<Schemas['WithdrawalPage']>('/user/withdraw/list');
  expect(items.map(({ status }) => status)).toEqual(['paid']);
  await other.context().close();
});

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
    const claimed = on.waitForResponse((response) => response.url().endsWith('/api/admin/claim'));
    await on.getByRole('menuitem', { name: act }).click();
    await claimed;
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

test('a list is a file with what it shows', async ({ page }) => {
  const staff = await Api.staff();
  const { user } = await newAdvertiser(staff);
  await logIn(page, ADMIN);
  await goTo(page, `/users?query=${user.username}`);
  await expect(page.locator('[data-index="0"] a')).toHaveText(user.username);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const file = await saving;
  const stream = await file.createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const lines = Buffer.concat(chunks).toString('utf8').trim().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(user.username);
});
