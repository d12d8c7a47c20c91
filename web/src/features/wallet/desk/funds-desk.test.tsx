import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test, vi } from 'vitest';
import { ok } from '@/test/answers';
import { address, openApp } from '@/test/app';
import { movements } from '@/test/fixtures-wallet';
import { server } from '@/test/server';

const FLOW = '*/api/transaction_flow/list';
const table = () => screen.findByRole('table');

test('movements are a table, with what they add up to', async () => {
  const { user } = openApp('/wallet/fund-details', { desk: true });
  const foot = within(await table())
    .getAllByRole('row')
    .at(-1);
  expect(foot).toHaveTextContent('Total+12,300.50');
  expect(screen.getByText('18,921.05')).toBeVisible();
  expect(screen.getByText('6,620.55')).toBeVisible();
  const [first] = within(await table()).getAllByRole('rowheader');
  const button = within(first as HTMLElement).getByRole('button', {
    name: /^Ad revenue paid out, \+1,184.20/,
  });
  await user.click(button);
  expect(await screen.findByRole('dialog', { name: 'Movement' })).toHaveTextContent('Balance after12,300.50');
});

test('balance, type and period are asked of the server and kept in the address', async () => {
  const asked: Record<string, string>[] = [];
  server.use(
    http.get(FLOW, ({ request }) => {
      asked.push(Object.fromEntries(new URL(request.url).searchParams));
      return ok({ items: movements, next_cursor: null, totals: null });
    }),
  );
  const { user } = openApp('/wallet/fund-details?month=2026-02', { desk: true });
  await table();
  expect(asked.at(-1)).toEqual({
    account: 'available',
    totals: 'true',
    from: '2026-02-01',
    until: '2026-02-28',
    limit: '50',
  });
  expect(screen.getByLabelText('From')).toHaveValue('2026-02-01');
  await user.selectOptions(screen.getByLabelText('Period'), 'All time');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Type' }), 'Profit sharing');
  await user.selectOptions(screen.getByLabelText('Balance'), 'Being withdrawn');
  await waitFor(() => expect(asked.at(-1)).toEqual({ account: 'withdrawing', totals: 'true', limit: '50' }));
  await user.selectOptions(screen.getByLabelText('Balance'), 'All balances');
  await waitFor(() => expect(asked.at(-1)).toEqual({ limit: '50' }));
  expect(address()).toBe('/wallet/fund-details?account=all');
  expect(screen.getByText('Choose one balance to see what its movements add up to.')).toBeVisible();
  expect(within(await table()).queryByText('Total')).not.toBeInTheDocument();
});

test('a movement leads to its plan', async () => {
  const { user } = openApp('/wallet/fund-details?account=to_be_settled', { desk: true });
  const [link] = within(await table()).getAllByRole('link', { name: /Merge Harbor/ });
  await user.click(link as HTMLElement);
  await waitFor(() => expect(address()).toBe('/plan/detail?id=plan-1'));
});

test('all rows are printed, also those that were not scrolled to', async () => {
  const printed = vi.fn();
  vi.stubGlobal('print', printed);
  const [first, ...others] = movements;
  server.use(
    http.get(FLOW, ({ request }) =>
      ok(
        new URL(request.url).searchParams.has('cursor')
          ? { items: others, next_cursor: null, totals: null }
          : { items: [first], next_cursor: 'next', totals: null },
      ),
    ),
  );
  const { user } = openApp('/wallet/fund-details?account=all', { desk: true });
  await table();
  await user.click(screen.getByRole('button', { name: 'Print' }));
  await waitFor(() => expect(printed).toHaveBeenCalledOnce());
  expect(within(await table()).getAllByRole('row')).toHaveLength(movements.length + 1);
});

test('the movements of a balance are downloaded with words and plain amounts', async () => {
  const files: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    files.push(file as Blob);
    return 'blob:file';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  const { user } = openApp('/wallet/fund-details?account=withdrawing', { desk: true });
  await table();
  await user.click(screen.getByRole('button', { name: 'Download CSV' }));
  await waitFor(() => expect(files).toHaveLength(1));
  const [head, ...lines] = ((await files[0]?.text()) ?? '').replace('\uFEFF', '').split('\r\n');
  expect(head).toBe('Time,Type,Plan number,Product,Remark,Amount,Account,Balance after');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(
    /^2026-11-\d\d \d\d:\d\d:\d\d,Withdrawal returned,,,,-300.00,Being withdrawn,0.00$/,
  );
});
