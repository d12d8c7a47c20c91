import type { Page } from '@playwright/test';
import type { components } from '../../src/lib/api/schema';
import { type Api, uniqueName } from './api';
import { csvFile } from './bank-file';
import { goTo } from './console';

type Schemas = components['schemas'];

/** A product that nobody else has. */
export function newProduct(
  staff: Api,
  terms: Partial<Schemas['CreateProductRequest']> = {},
): Promise<Schemas['Product']> {
  return staff.post('/admin/product/create', {
    name: `Harbour ${uniqueName()}`,
    category: 'Casual game',
    description: 'A relaxing game about a harbour town.',
    game_description: 'Repair piers and unlock islands.',
    content_types: ['video'],
    put_min: '50.00',
    put_max: '800.00',
    audience: { regions: [], age_min: 18, age_max: 45, gender: 'any' },
    ...terms,
  });
}

const COLUMNS = ['report_id', 'plan_number', 'time', 'impressions', 'clicks', 'spend', 'revenue'];

/** Imports reports of a minute ago outside the browser, from a source of their own. */
export function importReports(
  staff: Api,
  reports: readonly { id: string; plan: string; figures: readonly [number, number, string, string] }[],
): Promise<Schemas['ImportResult']> {
  const minuteAgo = new Date(Date.now() - 60_000).toISOString();
  const rows = reports.map(({ id, plan, figures }) => [id, plan, minuteAgo, ...figures].join(','));
  const mapping = Object.fromEntries(COLUMNS.map((column) => [column, column]));
  return staff.importReports([COLUMNS.join(','), ...rows, ''].join('\n'), `network-${uniqueName()}`, mapping);
}

/** An advertiser's only plan. */
export async function planOf(api: Api): Promise<Schemas['Plan']> {
  const { items } = await api.get<Schemas['PlanPage']>('/plan/order/list');
  const [plan] = items;
  if (!plan || items.length > 1) throw new Error(`${items.length} plans`);
  return plan;
}

/** Fills in a push of a plan to one user, and leaves it before the review. */
export async function fillInPush(
  page: Page,
  { product, username, amount }: { product: Schemas['Product']; username: string; amount: string },
): Promise<void> {
  await goTo(page, '/plans');
  await page.getByRole('link', { name: 'Push a plan' }).click();
  await page.getByLabel('Product', { exact: true }).selectOption(product.id);
  await page.getByLabel('Proposed amount').fill(amount);
  await page.getByLabel('Content').fill('Fifteen-second video');
  await page.getByRole('searchbox', { name: 'Find by username or id' }).fill(username);
  await page.getByRole('button', { name: `Add ${username}` }).click();
}

/**
 * Gives the import a file of two reports: one of 12,000 impressions that spend 40.00 and earn 55.50, and one of a plan
 * that does not exist. Leaves it at the columns.
 */
export async function chooseReports(page: Page, source: string, plan: string): Promise<void> {
  await goTo(page, '/imports');
  await page.getByRole('link', { name: 'Import', exact: true }).click();
  const time = new Date().toISOString();
  const csv = [
    'id,plan,at,views,clicks,cost,earned',
    `r-1,${plan},${time},12000,340,40.00,55.50`,
    `r-2,NOSUCHPLAN,${time},10,1,1.00,1.00`,
  ].join('\n');
  await page.getByLabel('Source').fill(source);
  await page.getByLabel('File of reports').setInputFiles(csvFile('reports.csv', csv));
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** Releases the reports that somebody else has imported from this source. */
export async function releaseReports(page: Page, source: string): Promise<void> {
  await goTo(page, '/imports?state=proposed');
  await page
    .getByRole('row')
    .filter({ hasText: source })
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: 'Release' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('region', { name: 'This changes' }).getByText('40.00').first().waitFor();
  await dialog.getByLabel('Reason').fill('Compared with the network');
  await dialog.getByRole('button', { name: 'Release' }).click();
}

/** Ends the delivery of the plan whose page is open. */
export async function finishDelivery(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Finish delivery' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('The advertiser asked for it');
  await dialog.getByRole('button', { name: 'Finish delivery' }).click();
}

/** Settles the plan whose page is open. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settle' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Settle' }).click();
}
