import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { planList } from '@/test/handlers/plan-list';
import { server } from '@/test/server';
import { resizeWindow } from '@/test/window';

const LIST = '*/api/plan/order/list';

/** What the server was asked for a table, without the comparison. */
let asked: Record<string, string>[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: fixtures.NOW });
  asked = [];
  server.use(
    http.get(LIST, ({ request }) => {
      const query = new URL(request.url).searchParams;
      if (query.has('sort')) asked.push(Object.fromEntries(query));
      return ok(planList(query));
    }),
  );
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const table = () => screen.findByRole('table');
const rowNames = async () =>
  within(await table())
    .getAllByRole('link')
    .map((link) => link.textContent);
const last = () => asked.filter(({ limit }) => limit !== '1').at(-1);

test('plans are a table with their totals, sorted by the server', async () => {
  const { user } = openApp('/plan', { desk: true });
  expect(within(await table()).getAllByRole('row')).toHaveLength(9);
  expect(last()).toEqual({ push: 'all', sort: 'create_time', order: 'desc', limit: '50' });
  const [, , putAmount] = within(await table()).getAllByRole('columnheader');
  expect(putAmount).toHaveAttribute('aria-sort', 'none');
  const foot = within(await table())
    .getAllByRole('row')
    .at(-1);
  expect(foot).toHaveTextContent('7 plans9,000.003,940.304,427.63+487.33145,9203,0641.12×');
  expect(screen.getByRole('columnheader', { name: 'Created' })).toHaveAttribute('aria-sort', 'descending');

  await user.click(screen.getByRole('button', { name: 'Profit' }));
  expect(await screen.findByRole('columnheader', { name: 'Profit' })).toHaveAttribute(
    'aria-sort',
    'descending',
  );
  await waitFor(async () => expect((await rowNames())[0]).toBe('Merge HarborAD-20261118-000040'));
  expect(address()).toBe('/plan?sort=profit');
  await user.click(screen.getByRole('button', { name: 'Profit' }));
  await waitFor(() => expect(last()).toMatchObject({ sort: 'profit', order: 'asc' }));
  await waitFor(async () => expect((await rowNames())[0]).toBe('FitCoach DailyAD-20261114-000044'));
  expect(address()).toBe('/plan?sort=profit&order=asc');
});

test('two quick clicks on a head turn the order, although nothing is drawn in between', async () => {
  openApp('/plan', { desk: true });
  await table();
  const head = screen.getByRole('button', { name: 'Profit' });
  act(() => {
    head.click();
    head.click();
  });
  expect(address()).toBe('/plan?sort=profit&order=asc');
});

test('the search asks once the typing pauses, and a reload keeps all filters', async () => {
  const { user, unmount } = openApp('/plan', { desk: true });
  await table();
  await user.type(screen.getByRole('searchbox'), 'harbor');
  await waitFor(() => expect(last()).toMatchObject({ query: 'harbor' }));
  expect(asked.flatMap(({ query }) => query ?? [])).toEqual(['harbor']);
  await user.selectOptions(screen.getByLabelText('Plan status'), 'Settled (1)');
  await waitFor(async () => expect(await rowNames()).toHaveLength(1));
  expect(address()).toBe('/plan?search=harbor&status=settled');
  unmount();
  openApp(address(), { desk: true });
  await waitFor(async () => expect(await rowNames()).toHaveLength(1));
  expect(screen.getByRole('searchbox')).toHaveValue('harbor');
});

test('a period is compared with the one before', async () => {
  const { user } = openApp('/plan', { desk: true });
  await table();
  await user.selectOptions(screen.getByLabelText('Period'), 'Last 7 days');
  await waitFor(() => expect(last()).toMatchObject({ from: '2026-11-14', until: '2026-11-20' }));
  await waitFor(() =>
    expect(asked.find(({ limit }) => limit === '1')).toMatchObject({
      from: '2026-11-07',
      until: '2026-11-13',
    }),
  );
  await user.selectOptions(screen.getByLabelText('Period'), 'Today');
  expect(await screen.findByText('+150% vs Nov 19, 2026 – Nov 19, 2026')).toBeVisible();
  await user.selectOptions(screen.getByLabelText('Period'), 'Custom');
  expect(screen.getByLabelText('From')).toHaveValue('2026-11-20');
  expect(address()).toBe('/plan?period=custom&from=2026-11-20&until=2026-11-20');
});

test('what is shown is downloaded as a file, page by page', async () => {
  const files: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    files.push(file as Blob);
    return 'blob:file';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  const pages = [
    fixtures.plan({ product: { id: 'product-1', name: '=2+5, "Harbor"', icon_url: null } }),
    fixtures.plan({ id: 'plan-9', plan_number: 'AD-9', profit: '-67.93', status: 'waiting_settlement' }),
  ];
  server.use(
    http.get(LIST, ({ request }) => {
      const query = new URL(request.url).searchParams;
      const items = query.has('cursor') ? pages.slice(1) : pages.slice(0, 1);
      return ok({ ...planList(query), items, next_cursor: query.has('cursor') ? null : 'next' });
    }),
  );
  const { user } = openApp('/plan?columns=-put_amount -consumed -revenue -impressions -clicks', {
    desk: true,
  });
  await table();
  await user.click(screen.getByRole('button', { name: 'Download CSV' }));
  expect(await screen.findByText('File downloaded')).toBeVisible();
  // The mark of UTF-8 is not part of what is read as text.
  expect([...new Uint8Array((await files[0]?.arrayBuffer()) ?? [])].slice(0, 3)).toEqual([0xef, 0xbb, 0xbf]);
  expect((await files[0]?.text())?.replace('\uFEFF', '')).toBe(
    [
      'Plan number,Product,Status,Profit,Return on ad spend,Created',
      `AD-20261118-000042,"'=2+5, ""Harbor""",Putting,258.62,1.2085,2026-11-18 14:25:00`,
      'AD-9,Merge Harbor,Waiting for settlement,-67.93,1.2085,2026-11-18 14:25:00',
      '',
    ].join('\r\n'),
  );
});

test('a file that cannot be read to its end is none', async () => {
  const save = vi.spyOn(URL, 'createObjectURL');
  const { user } = openApp('/plan', { desk: true });
  await table();
  server.use(http.get(LIST, () => refusal(429, 'Too many attempts', { reason: 'TOO_MANY_ATTEMPTS' })));
  await user.click(screen.getByRole('button', { name: 'Download CSV' }));
  expect(await screen.findByText('Too many attempts')).toBeVisible();
  expect(save).not.toHaveBeenCalled();
});

test('columns are chosen, and the choice is in the address', async () => {
  const { user } = openApp('/plan', { desk: true });
  await table();
  await user.click(screen.getByRole('button', { name: 'Columns' }));
  await user.click(screen.getByRole('checkbox', { name: 'Clicks' }));
  await waitFor(() => expect(screen.queryByRole('columnheader', { name: 'Clicks' })).not.toBeInTheDocument());
  await user.click(screen.getByRole('checkbox', { name: 'Result for your wallet' }));
  expect(await screen.findByRole('columnheader', { name: 'Result for your wallet' })).toBeVisible();
  expect(address()).toBe('/plan?columns=result+-clicks');
  await user.click(screen.getByRole('checkbox', { name: 'Clicks' }));
  await waitFor(() => expect(address()).toBe('/plan?columns=result'));
});

test('a plan opens beside its list, and Esc leads back to its row', async () => {
  const { user } = openApp('/plan?status=settled', { desk: true });
  await user.click(await screen.findByRole('link', { name: 'Merge Harbor AD-20261115-000043' }));
  expect(address()).toBe('/plan/detail?id=plan-4&status=settled');
  const plan = await screen.findByRole('region', { name: 'Plan detail' });
  expect(await within(plan).findByText('1,000.00 of 1,000.00 consumed')).toBeVisible();
  const list = screen.getByRole('complementary', { name: 'Plans' });
  expect(within(list).getByRole('link', { current: true })).toHaveTextContent('AD-20261115-000043');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(address()).toBe('/plan?status=settled'));
  expect(await screen.findByRole('link', { name: 'Merge Harbor AD-20261115-000043' })).toHaveFocus();
});

test('Esc twice in a row closes a plan once', async () => {
  openApp('/plan/detail?id=plan-1&sort=profit', { desk: true });
  await screen.findByRole('region', { name: 'Plan detail' });
  const navigated = vi.spyOn(history, 'replaceState');
  act(() => {
    fireEvent.keyDown(document.body, { key: 'Escape' });
    fireEvent.keyDown(document.body, { key: 'Escape' });
  });
  expect(address()).toBe('/plan?sort=profit');
  expect(navigated).toHaveBeenCalledOnce();
});

test('a linked plan closes to its list, also after others were seen', async () => {
  const { user } = openApp('/plan/detail?id=plan-1&sort=profit', { desk: true });
  const list = await screen.findByRole('complementary', { name: 'Plans' });
  await user.click(await within(list).findByRole('link', { name: /AD-20261114-000044/ }));
  await waitFor(() => expect(address()).toBe('/plan/detail?id=plan-5&sort=profit'));
  await user.click(screen.getByRole('button', { name: 'Close plan' }));
  await waitFor(() => expect(address()).toBe('/plan?sort=profit'));
  expect(await screen.findByRole('link', { name: 'FitCoach Daily AD-20261114-000044' })).toHaveFocus();
});

test('a click anywhere on a row opens its plan', async () => {
  const { user } = openApp('/plan', { desk: true });
  await user.click(within(await table()).getByText('1.18×'));
  await waitFor(() => expect(address()).toBe('/plan/detail?id=plan-4'));
});

test('nothing found leads back to everything', async () => {
  const { user } = openApp('/plan?search=nothing&period=today&sort=profit', { desk: true });
  expect(await screen.findByText('No plans here')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  expect(await table()).toBeVisible();
  expect(address()).toBe('/plan?sort=profit');
});

test('a window that becomes narrow shows cards, and a wide one the table', async () => {
  openApp('/plan');
  expect(await screen.findByRole('tab', { name: 'Official' })).toBeVisible();
  expect(screen.queryByRole('table')).not.toBeInTheDocument();
  resizeWindow(1024);
  expect(await table()).toBeVisible();
  resizeWindow(1023);
  expect(await screen.findByRole('tab', { name: 'Official' })).toBeVisible();
});
