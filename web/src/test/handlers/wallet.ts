import { HttpResponse, http, type RequestHandler } from 'msw';
import type { FlowEntry, FlowTotals } from '@/lib/api/types';
import { signOf, subtract, sum } from '@/lib/money';
import { ok, page, refusal } from '../answers';
import { at, property } from '../fixtures';
import {
  bankCard,
  destinations,
  movements,
  walletAddress,
  withdrawal,
  withdrawals,
} from '../fixtures-wallet';
import statement from '../statement-2026-11.csv?raw';

function totalsOf(entries: readonly FlowEntry[]): FlowTotals {
  const amounts = entries.map(({ amount }) => amount);
  const coming = sum(amounts.filter((amount) => signOf(amount) > 0));
  const going = sum(amounts.filter((amount) => signOf(amount) < 0));
  return { in: coming, out: subtract('0', going), net: sum(amounts) };
}

export const walletHandlers: RequestHandler[] = [
  http.get('*/api/bank_card/detail', () => ok(destinations())),
  http.post('*/api/bank_card/edit', async ({ request }) => {
    const { kind } = (await request.json()) as { kind: 'bank_card' | 'wallet_address' };
    return ok({ kind, ...(kind === 'bank_card' ? bankCard : walletAddress) });
  }),
  http.get('*/api/user/withdraw/list', ({ request }) => {
    const id = new URL(request.url).searchParams.get('id');
    return ok(page(withdrawals.filter((one) => id === null || one.id === id)));
  }),
  http.post('*/api/user/withdraw', async ({ request }) => {
    const { amount } = (await request.json()) as { amount: string };
    return ok(withdrawal({ amount }));
  }),
  http.post('*/api/user/withdraw/cancel', () => ok(withdrawal({ status: 'cancelled', decided_at: at(0) }))),
  http.post('*/api/user/start_up_funds/return', () => ok(property())),
  http.get('*/api/transaction_flow/list', ({ request }) => {
    const query = new URL(request.url).searchParams;
    const isWanted = (name: string, value: string) => (query.get(name) ?? value) === value;
    const [from, until] = [query.get('from') ?? '0', query.get('until') ?? '9'];
    const items = movements.filter(
      ({ id, account, type, time }) =>
        isWanted('id', id) &&
        isWanted('account', account) &&
        isWanted('type', type) &&
        time.slice(0, 10) >= from &&
        time.slice(0, 10) <= until,
    );
    const hasTotals = query.get('totals') === 'true' && query.has('account');
    return ok({ ...page(items), totals: hasTotals ? totalsOf(items) : null });
  }),
  http.get('*/api/transaction_flow/proof', () =>
    refusal(405, 'Not found', { reason: 'NOT_FOUND', field: 'sequence' }),
  ),
  http.get('*/api/checkpoint/key', () => HttpResponse.text('log+00000000+AQ==')),
  http.get('*/api/transaction_flow/statement/pdf', () =>
    HttpResponse.text('%PDF-1.7', { headers: { 'Content-Type': 'application/pdf' } }),
  ),
  http.get('*/api/transaction_flow/statement', () =>
    HttpResponse.text(statement, { headers: { 'Content-Type': 'text/csv; charset=utf-8' } }),
  ),
];
