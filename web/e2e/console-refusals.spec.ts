import { expect, type Locator, type Page, test } from '@playwright/test';
import type { PagePath } from '../src/console/pages';
import { actableRows } from './support/actable-rows';
import { Api, newAdvertiser, uniqueName } from './support/api';
import { ADMIN, goTo, logIn } from './support/console';
import { openedPages } from './support/opened-pages';
import { newProduct } from './support/plans';

type Refused = {
  path: PagePath;
  /** The button that opens the form, and the one that sends it. */
  open: string;
  submit: string;
  /** What is typed or chosen, by label. */
  fill: Readonly<Record<string, string>>;
  /** The label of the input that the refusal is about. */
  field: string;
};

/** What forms refuse themselves. */
const BY_FORM: readonly Refused[] = [
  {
    path: '/hosts',
    open: 'Register host',
    submit: 'Register host',
    fill: { 'Public key': 'a key' },
    field: 'Name',
  },
  {
    path: '/operators',
    open: 'Create operator',
    submit: 'Create operator',
    fill: { Name: '  ' },
    field: 'Name',
  },
  {
    path: '/networks',
    open: 'Create network',
    submit: 'Create network',
    fill: { Name: 'Harbour', Source: 'harbour', 'Report delay in seconds': 'soon' },
    field: 'Report delay in seconds',
  },
  {
    path: '/acceptors',
    open: 'Create acceptor',
    submit: 'Create acceptor',
    fill: { Name: 'Ada', Rating: 'five' },
    field: 'Rating',
  },
  {
    path: '/campaigns',
    open: 'Create campaign',
    submit: 'Create campaign',
    fill: { Name: 'Spring', Value: '1.005' },
    field: 'Value',
  },
  {
    path: '/licences',
    open: 'Issue keys',
    submit: 'Issue keys',
    fill: { 'Number of keys': '501' },
    field: 'Number of keys',
  },
  { path: '/staff', open: 'New member', submit: 'Create account', fill: { Username: '' }, field: 'Username' },
];

/** What only the server can know. */
const BY_SERVER: readonly Refused[] = [
  {
    path: '/staff',
    open: 'New member',
    submit: 'Create account',
    fill: { Username: 'admin' },
    field: 'Username',
  },
  {
    path: '/hosts',
    open: 'Register host',
    submit: 'Register host',
    fill: { Name: 'Harbour host', 'Public key': 'no key at all' },
    field: 'Public key',
  },
  {
    path: '/networks',
    open: 'Create network',
    submit: 'Create network',
    fill: { Name: 'Harbour', Source: 'No Such Letters' },
    field: 'Source',
  },
  {
    path: '/placements',
    open: 'Create placement',
    submit: 'Create placement',
    fill: { Name: 'Banner', Format: 'banner', 'Countries (optional)': 'Atlantis' },
    field: 'Countries (optional)',
  },
  {
    path: '/sources',
    open: 'Register a source',
    submit: 'Register a source',
    fill: { Source: 'No Such Letters' },
    field: 'Source',
  },
];

/** Acts of rows with an empty form, and the input that is named. */
const ROW_ACTS = [
  { item: 'Set aside', submit: 'Set aside', field: 'Reason' },
  { item: 'Take out', submit: 'Take out', field: 'Reason' },
  { item: 'Reject', submit: 'Reject', field: 'Reason' },
  { item: 'Add a key', submit: 'Add a key', field: 'Ed25519 public key in PEM' },
  { item: 'Set a price', submit: 'Set price', field: 'Cost' },
  { item: 'Grant a coupon', submit: 'Grant coupon', field: 'User' },
  { item: 'Issue a code', submit: 'Issue code', field: 'Currency' },
  { item: 'Cancel the order', submit: 'Cancel the order', field: 'Reason' },
  { item: 'Change role…', submit: 'Change role', field: 'Reason' },
  { item: 'One-time password…', submit: 'Make a one-time password', field: 'Reason' },
  { item: 'Disable…', submit: 'Disable account', field: 'Reason' },
  { item: 'Withdraw', submit: 'Withdraw', field: 'Reason' },
] as const;

/** The calls that change something, except claims, which an open dialog makes by itself. */
function changesOf(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === 'POST' && !pathname.startsWith('/api/admin/claim')) sent.push(pathname);
  });
  return sent;
}

async function fillIn(page: Page, { path, open, fill }: Refused): Promise<Locator> {
  await goTo(page, path);
  await page.locator('main').getByRole('button', { name: open, exact: true }).click();
  const dialog = page.getByRole('dialog');
  for (const [label, value] of Object.entries(fill)) {
    await dialog.getByLabel(label, { exact: true }).fill(value);
  }
  return dialog;
}

/** The refusal stands at its input, which has the focus; everything typed is still there. */
async function isAt(dialog: Locator, { path, fill, field }: Refused, words: RegExp | string): Promise<void> {
  const input = dialog.getByLabel(field, { exact: true });
  await expect(input, path).toBeFocused();
  await expect(input, path).toHaveAttribute('aria-invalid', 'true');
  await expect(input, path).toHaveAccessibleDescription(words);
  for (const [label, value] of Object.entries(fill)) {
    await expect(dialog.getByLabel(label, { exact: true }), path).toHaveValue(value);
  }
}

test('each form names the input that is wrong, keeps what was typed, and sends nothing', async ({ page }) => {
  await logIn(page, ADMIN);
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  const sent = changesOf(page);
  for (const refused of BY_FORM) {
    const dialog = await fillIn(page, refused);
    await dialog.getByRole('button', { name: refused.submit }).click();
    await isAt(dialog, refused, /\S/);
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  }
  expect(sent).toEqual([]);
});

test('what the server refuses stands at its input in the server’s words', async ({ page }) => {
  const name = uniqueName();
  await (await Api.staff()).post('/admin/network/create', { name, source: name });
  await logIn(page, ADMIN);
  for (const refused of BY_SERVER) {
    const dialog = await fillIn(page, refused);
    const answering = page.waitForResponse(
      (response) => response.request().method() === 'POST' && /(create|save)$/.test(response.url()),
    );
    await dialog.getByRole('button', { name: refused.submit }).click();
    const { code, msg } = await (await answering).json();
    expect(code, refused.path).not.toBe(200);
    await isAt(dialog, refused, new RegExp(msg.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  }
});

test('the pages that are forms put the focus where something is missing', async ({ page }) => {
  const staff = await Api.staff();
  const product = await newProduct(staff);
  await logIn(page, ADMIN);
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  const sent = changesOf(page);
  const main = page.locator('main');
  const isMissing = async (label: string) => {
    await expect(main.getByLabel(label, { exact: true }), label).toBeFocused();
    await expect(main.getByLabel(label, { exact: true }), label).toHaveAttribute('aria-invalid', 'true');
  };
  await goTo(page, '/plans/push');
  await main.getByRole('button', { name: 'Review' }).click();
  await isMissing('Product');
  await main.getByLabel('Product', { exact: true }).selectOption(product.id);
  await main.getByLabel('Proposed amount').fill('300');
  await main.getByLabel('Content').fill('Fifteen-second video');
  await main.getByRole('button', { name: 'Review' }).click();
  await isMissing('Find by username or id');

  await goTo(page, '/bank/upload');
  await main.getByRole('button', { name: 'Upload statement' }).click();
  await isMissing('Statement file');
  await goTo(page, '/imports/new');
  await main.getByRole('button', { name: 'Continue' }).click();
  await isMissing('Source');
  await main.getByLabel('Source').fill('network-a');
  await main.getByRole('button', { name: 'Continue' }).click();
  await isMissing('File of reports');
  await goTo(page, '/own-security');
  await main.getByRole('button', { name: 'Change password' }).click();
  await isMissing('Present password');

  // Twelve languages do not fit a focus: the words say which, and English is opened.
  await goTo(page, '/notices/new');
  await main.getByRole('tab', { name: 'Deutsch' }).click();
  await main.getByLabel('Title').fill('Wartung');
  await main.getByRole('button', { name: 'Review' }).click();
  const words = main.getByRole('alert').filter({ hasText: 'English needs a title and a text.' });
  await expect(words).toContainText('Deutsch: write both title and text, or neither.');
  await expect(main.getByRole('tab', { name: 'English' })).toHaveAttribute('aria-selected', 'true');
  expect(sent).toEqual([]);
});

test('no act of a row is made before its form is filled in', async ({ page }) => {
  const staff = await Api.staff();
  const { user } = await newAdvertiser(staff);
  const rows = [...(await openedPages(staff, user.id)).rows, ...(await actableRows(staff))];
  await logIn(page, ADMIN);
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  const sent = changesOf(page);
  const dialog = page.getByRole('dialog');
  for (const { item, submit, field } of ROW_ACTS) {
    const row = rows.find(({ items }) => items.some(({ name }) => name === item));
    if (!row) throw new Error(`no row with ${item}`);
    await goTo(page, row.path);
    await page.locator('main').getByRole('button', { name: row.row }).first().click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
    await dialog.getByRole('button', { name: submit, exact: true }).click();
    await expect(dialog.getByLabel(field, { exact: true }), item).toBeFocused();
    await expect(dialog.getByLabel(field, { exact: true }), item).toHaveAttribute('aria-invalid', 'true');
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  }
  expect(sent).toEqual([]);
});
