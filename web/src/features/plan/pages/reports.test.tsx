import { act, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import type { DeliveryReport } from '@/lib/api/types';
import { ok, page, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import { at } from '@/test/fixtures';
import { report, reports, SHA256, totals } from '@/test/fixtures-reports';
import { server } from '@/test/server';

const LIST = '*/api/plan/order/reports';
const PAGE = '/plan/reports?id=plan-1';

const given = (items: DeliveryReport[], sums = totals()) =>
  server.use(http.get(LIST, () => ok({ ...page(items), totals: sums })));

/** The only report of the list. */
async function onlyReport() {
  const time = await screen.findByRole('heading', { level: 2 });
  const item = time.closest('li');
  if (!item) throw new Error('the report is not in the list');
  return within(item);
}

test('the figures of a plan lead to its reports, and back leads to the plan', async () => {
  const { user } = openApp('/plan/detail?id=plan-1');
  await user.click(await screen.findByRole('link', { name: 'Delivery reports' }));
  expect(address()).toBe(PAGE);
  expect(await screen.findByText(/^The sum of all reports below/)).toBeVisible();
  expect(screen.getAllByRole('heading', { level: 2 })).toHaveLength(reports.length);
  expect(screen.getByText('1,240.30')).toBeVisible();
  expect(screen.queryByText(/over-delivery/)).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Back' }));
  await waitFor(() => expect(address()).toBe('/plan/detail?id=plan-1'));
});

test('the sources of a plan lead to its reports', async () => {
  openApp('/plan/detail?id=plan-1');
  const link = await screen.findByRole('link', { name: 'Delivery reports from' });
  expect(link).toHaveAttribute('href', expect.stringContaining(PAGE));
});

test('a page opened by its address leads back to the plan', async () => {
  const { user } = openApp(PAGE);
  await screen.findByText('1,240.30');
  await user.click(screen.getByRole('button', { name: 'Back' }));
  expect(address()).toBe('/plan/detail?id=plan-1');
});

test('the reports sum to the figures above them', () => {
  const sumOf = (key: 'impressions' | 'clicks') => reports.reduce((total, each) => total + each[key], 0);
  expect(sumOf('impressions')).toBe(totals().impressions);
  expect(sumOf('clicks')).toBe(totals().clicks);
});

test('a report shows its amounts to the last decimal, and where it came from', async () => {
  given([
    report({
      revision: 3,
      placement: { id: 'placement-1', name: 'Sidebar' },
      spend: '1402.187512',
      charged: '1402.187512',
      import: { time: at(0), sha256: SHA256, line: 1_204 },
    }),
  ]);
  const { user } = openApp(PAGE);
  const item = await onlyReport();
  expect(item.getByText('1,402.187512')).toBeVisible();
  expect(item.getByText('adnet · Sidebar')).toBeVisible();
  expect(item.getByText('Restated')).toBeVisible();
  expect(item.queryByText('Charged')).not.toBeInTheDocument();
  await user.click(item.getByText('Details'));
  expect(item.getByText('2026-11-20-0001')).toBeVisible();
  expect(item.getByText('3')).toBeVisible();
  expect(item.getByText(/^File of .*2026.*, line 1,204$/)).toBeVisible();
  expect(item.getByText('9f86d081…b0f00a08')).toBeVisible();
  await user.click(item.getByRole('button', { name: 'Copy hash' }));
  expect(await navigator.clipboard.readText()).toBe(SHA256);
});

test('a report without a file was sent by the network', async () => {
  given([report()]);
  const { user } = openApp(PAGE);
  const item = await onlyReport();
  await user.click(item.getByText('Details'));
  expect(item.getByText('Sent by the network')).toBeVisible();
  expect(item.queryByText('SHA-256')).not.toBeInTheDocument();
  for (const mark of ['Restated', 'Estimated', 'Simulated']) {
    expect(item.queryByText(mark)).not.toBeInTheDocument();
  }
});

test('a report of an import that broke off has a line but no hash', async () => {
  given([report({ import: { time: at(0), sha256: null, line: 2 } })]);
  openApp(PAGE);
  const item = await onlyReport();
  expect(item.getByText(/line 2$/)).toBeInTheDocument();
  expect(item.queryByText('SHA-256')).not.toBeInTheDocument();
});

test('an estimate and a simulation say so', async () => {
  given([report({ estimated: true, simulated: true })]);
  openApp(PAGE);
  const item = await onlyReport();
  expect(item.getByText('Estimated')).toBeVisible();
  // As a badge, and in place of a network.
  expect(item.getAllByText('Simulated')).toHaveLength(2);
  expect(item.queryByText('Sent by the network')).not.toBeInTheDocument();
});

test('over-delivery is shown and not charged', async () => {
  given([report({ charged: '250.00' })], totals({ reported: '1300.31' }));
  openApp(PAGE);
  expect(await screen.findByText(/^60\.01 of reported spend is over-delivery/)).toBeVisible();
  const item = await onlyReport();
  expect(item.getByText('310.0125')).toBeVisible();
  expect(item.getByText('Charged')).toBeVisible();
  expect(item.getByText('250.00')).toBeVisible();
});

test('further reports are added to the list', async () => {
  server.use(
    http.get(LIST, ({ request }) => {
      const query = new URL(request.url).searchParams;
      expect(query.get('plan_id')).toBe('plan-1');
      const cursor = query.get('cursor');
      const items = [report({ report_id: cursor ?? 'first' })];
      return ok({ items, next_cursor: cursor ? null : 'second', totals: totals() });
    }),
  );
  const { user } = openApp(PAGE);
  await user.click(await screen.findByRole('button', { name: 'Load more' }));
  expect(await screen.findByText('second')).toBeInTheDocument();
  expect(screen.getByText('first')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument();
});

test('a plan without reports says when they come', async () => {
  given([], totals({ impressions: 0, clicks: 0, spend: '0.00', reported: '0.00', revenue: '0.00' }));
  openApp(PAGE);
  expect(await screen.findByText('No reports yet')).toBeVisible();
  expect(screen.queryByText(/^The sum of all reports/)).not.toBeInTheDocument();
});

test('a plan of somebody else does not exist', async () => {
  server.use(http.get(LIST, () => refusal(405, 'No such plan', { reason: 'NOT_FOUND' })));
  openApp('/plan/reports?id=foreign');
  expect(await screen.findByText('No such plan')).toBeVisible();
});

test('a page without a plan leads to the plans', async () => {
  openApp('/plan/reports');
  expect(await screen.findByText('This plan does not exist')).toBeVisible();
  expect(within(screen.getByRole('main')).getByRole('link', { name: 'Plans' })).toBeVisible();
});

test('a new report appears with the next event of the plan', async () => {
  let stream: ReadableStreamDefaultController | undefined;
  const body = new ReadableStream({
    start: (controller) => {
      stream = controller;
    },
  });
  server.use(
    http.get(
      '*/api/stream',
      () => new HttpResponse(body, { headers: { 'Content-Type': 'text/event-stream' } }),
    ),
  );
  given([report()]);
  openApp(PAGE);
  await onlyReport();
  given([report({ report_id: 'new' }), report()]);
  const event = new TextEncoder().encode('event: plan\ndata: {}\n\n');
  // The first event of a connection only says that changes may have been missed.
  act(() => stream?.enqueue(event));
  act(() => stream?.enqueue(event));
  expect(await screen.findByText('new')).toBeInTheDocument();
  stream?.close();
});
