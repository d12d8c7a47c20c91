import { expect, type Page } from '@playwright/test';
import { PAGES, type PagePath, type PageSpec } from '../../src/console/pages';
import type { components } from '../../src/lib/api/schema';
import { type Api, newAdvertiser, uniqueName } from './api';
import { currencyOf, statementOf } from './bank-file';
import { OFFERS_FOR_FLOW, type Offer, type RowOffers } from './offers';
import { askAgain, askForWithdrawal } from './withdrawals';

type Schemas = components['schemas'];

/** A page with a parameter in its address, which a role without its call is kept from. */
export type Opened = { spec: PageSpec; path: string; offers: readonly Offer[] };

/** What there is to open and to act on, for a test that looks at all pages. */
export type Furnished = { opened: Opened[]; rows: RowOffers[] };

/** The pages without a parameter in their address. */
export const OPEN_PAGES = PAGES.filter(({ path }) => !path.includes(':'));

const specOf = (path: PagePath): PageSpec => {
  const spec = PAGES.find((known) => known.path === path);
  if (!spec) throw new Error(`no page ${path}`);
  return spec;
};

/** Waits until the page is there with what it reads. */
export async function isLoaded(page: Page): Promise<void> {
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  await expect(page.locator('main h1')).toBeVisible();
  await expect(page.locator('main [aria-label="Loading…"]')).toHaveCount(0);
}

/** A statement with an open line, a proposed batch, an account of the platform, and a user's fund details. */
export async function openedPages(staff: Api, user: string): Promise<Furnished> {
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
  await askAgain(api, '15.00');
  const opened: Opened[] = [
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
  const rows: RowOffers[] = [
    {
      needs: 'GET /admin/bank/lines',
      path: `/bank/${statement.id}`,
      row: /^Actions for .*1\.00/,
      items: [
        { name: 'Credit', call: 'POST /admin/bank/line/credit' },
        { name: 'Set aside', call: 'POST /admin/bank/line/aside' },
      ],
    },
    {
      needs: 'GET /admin/payment_batch/list',
      path: `/payments/${batch.id}`,
      row: `Actions for ${payer.username}, 60.00`,
      items: [{ name: 'Take out', call: 'POST /admin/payment_batch/take_out' }],
    },
    {
      needs: 'GET /admin/withdraw/list',
      path: `/withdrawals?user_id=${payer.id}`,
      row: `Actions for ${payer.username}, 15.00`,
      items: [
        { name: 'Mark as paid', call: 'POST /admin/withdraw/decide' },
        { name: 'Reject', call: 'POST /admin/withdraw/decide' },
      ],
    },
  ];
  return { opened, rows };
}
