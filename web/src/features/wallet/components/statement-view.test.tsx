import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { screen, waitFor } from '@testing-library/react';
import { delay, HttpResponse, http } from 'msw';
import { afterEach, expect, test, vi } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import { server } from '@/test/server';
import statement from '@/test/statement-2026-11.csv?raw';

const STATEMENT = '*/api/transaction_flow/statement';
const PAGE = '/wallet/fund-details?view=statement';

afterEach(() => vi.restoreAllMocks());

test('a month is downloaded under its name, once however often it is tapped', async () => {
  const asked: string[] = [];
  const saved: string[] = [];
  server.use(
    http.get(STATEMENT, async ({ request }) => {
      asked.push(`${new URL(request.url).search} ${request.headers.get('X-CT')}`);
      await delay(50);
      return HttpResponse.text(statement, { headers: { 'Content-Type': 'text/csv' } });
    }),
  );
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:statement');
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  const { user } = openApp(PAGE);
  const month = (await screen.findByLabelText<HTMLSelectElement>('Month')).value;
  await user.dblClick(screen.getByRole('button', { name: 'Download CSV' }));
  expect(await screen.findByText('Statement downloaded')).toBeVisible();
  expect(asked).toEqual([`?month=${month} token-1`]);
  expect(saved).toEqual([`adfolio-statement-${month}.csv`]);
});

test('a month is downloaded as a document, or its refusal is shown', async () => {
  const saved: string[] = [];
  const files: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    files.push(file as Blob);
    return 'blob:document';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  const { user } = openApp(PAGE);
  const month = (await screen.findByLabelText<HTMLSelectElement>('Month')).value;
  await user.click(screen.getByRole('button', { name: 'Download PDF' }));
  expect(await screen.findByText('Statement downloaded')).toBeVisible();
  expect(saved).toEqual([`adfolio-statement-${month}.pdf`]);
  expect(files[0]?.type).toBe('application/pdf');
  server.use(http.get(`${STATEMENT}/pdf`, () => refusal(400, 'The file is too large')));
  await user.click(screen.getByRole('button', { name: 'Download PDF' }));
  expect(await screen.findByText('The file is too large')).toBeVisible();
  expect(saved).toHaveLength(1);
});

test('a download that is refused says why', async () => {
  server.use(http.get(STATEMENT, () => refusal(500, 'Server error')));
  const { user } = openApp(PAGE);
  await user.click(await screen.findByRole('button', { name: 'Download CSV' }));
  expect(await screen.findByText('Server error')).toBeVisible();
});

test('the month is verified straight from the server', async () => {
  const { user } = openApp(PAGE);
  await user.click(await screen.findByRole('button', { name: 'Verify this month' }));
  expect(await screen.findByText('The chain is unbroken')).toBeVisible();
  expect(screen.getByText(/^7 transactions checked/)).toBeVisible();
  const lastHash = statement.trimEnd().split('\n').at(-1)?.split(',').at(-2);
  expect(screen.getByText(lastHash ?? 'no hash')).toBeVisible();
});

test('a month without transactions has nothing to verify', async () => {
  const header = statement.split('\n')[0];
  server.use(
    http.get(STATEMENT, () => HttpResponse.text(header, { headers: { 'Content-Type': 'text/csv' } })),
  );
  const { user } = openApp(PAGE);
  await user.click(await screen.findByRole('button', { name: 'Verify this month' }));
  expect(await screen.findByText('Nothing to check')).toBeVisible();
});

test('a tampered file is found at its row, any other file told apart, and the right one accepted', async () => {
  const { user } = openApp(PAGE);
  const input = await screen.findByLabelText('Choose a statement file');
  const choose = (text: string, name = 'statement.csv') =>
    user.upload(input, new File([text], name, { type: 'text/csv' }));
  await choose(statement.replace('1250.50,0.00', '9250.50,0.00'));
  expect(await screen.findByText('This is not the original statement')).toBeVisible();
  expect(screen.getByText('Row 3, transaction 2')).toBeVisible();
  await choose('name,amount\nAda,5', 'other.csv');
  expect(await screen.findByText('This is not a statement')).toBeVisible();
  await choose(statement, 'right.csv');
  expect(await screen.findByText('The chain is unbroken')).toBeVisible();
  expect(screen.getByText('right.csv')).toBeVisible();
  await waitFor(() => expect(screen.queryByText('This is not a statement')).not.toBeInTheDocument());
});

test('a statement that was not published yet is right, and one that contradicts the record is not praised', async () => {
  const { user } = openApp(PAGE);
  const verify = async () => user.click(await screen.findByRole('button', { name: 'Verify this month' }));
  await verify();
  expect(await screen.findByText(/^Not publicly recorded yet/)).toBeVisible();
  const [hash, wallet] = statement.trimEnd().split('\n').at(-1)?.split(',').slice(-2) ?? [];
  const other = `${hash?.startsWith('0') ? '1' : '0'}${hash?.slice(1)}`;
  const leaf = `adfolio-head-1|${wallet}|7|${other}`;
  server.use(
    http.get('*/api/transaction_flow/proof', () =>
      ok({ leaf, index: 0, size: 1, path: [], note: 'a\n1\nb\n\n', links: [] }),
    ),
  );
  await verify();
  expect(await screen.findByText('This is not the original statement')).toBeVisible();
  expect(screen.queryByText('The chain is unbroken')).not.toBeInTheDocument();
});

test('a public record that lost what this browser saw is not praised', async () => {
  const [hash, wallet] = statement.trimEnd().split('\n').at(-1)?.split(',').slice(-2) ?? [];
  const leaf = `adfolio-head-1|${wallet}|7|${hash}`;
  const root = btoa(String.fromCharCode(...sha256(concatBytes(Uint8Array.of(0), utf8ToBytes(leaf)))));
  const note = `log\n1\n${root}\ntime 2026-11-26T09:30:00Z\n\n\u2014 log AAAAAA==\n`;
  server.use(
    http.get('*/api/transaction_flow/proof', () =>
      ok({ leaf, index: 0, size: 1, path: [], note, links: [] }),
    ),
    http.get('*/api/checkpoint/key', () => HttpResponse.text('log+00000000+AQ==')),
  );
  const { user } = openApp(PAGE);
  const verify = async () => user.click(await screen.findByRole('button', { name: 'Verify this month' }));
  await verify();
  expect(await screen.findByText(/^Publicly recorded on/)).toBeVisible();
  localStorage.setItem('adfolio.checkpoint', JSON.stringify({ log: 'log', size: 2, root }));
  await verify();
  expect(await screen.findByText(/^The public record no longer contains/)).toBeVisible();
  expect(screen.queryByText('The chain is unbroken')).not.toBeInTheDocument();
});

test('a chain is checked although nobody can tell what was published', async () => {
  server.use(
    http.get('*/api/checkpoint/key', () => refusal(405, 'Not found', { reason: 'NOT_FOUND', field: 'key' })),
  );
  server.use(http.get('*/api/transaction_flow/proof', () => refusal(500, 'Server error')));
  const { user } = openApp(PAGE);
  await user.click(await screen.findByRole('button', { name: 'Verify this month' }));
  expect(await screen.findByText('The chain is unbroken')).toBeVisible();
  expect(screen.queryByText(/publicly recorded/)).not.toBeInTheDocument();
});
