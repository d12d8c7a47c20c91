import { HttpResponse, http, type RequestHandler } from 'msw';
import { ok, page, refusal } from '../answers';
import { bankCard, destinations, walletAddress, withdrawal, withdrawals } from '../fixtures-wallet';
import statement from '../statement-2026-11.csv?raw';

export const walletHandlers: RequestHandler[] = [
  http.get('*/api/bank_card/detail', () => ok(destinations())),
  http.post('*/api/bank_card/edit', async ({ request }) => {
    const { kind } = (await request.json()) as { kind: 'bank_card' | 'wallet_address' };
    return ok({ kind, ...(kind === 'bank_card' ? bankCard : walletAddress) });
  }),
  http.get('*/api/user/withdraw/list', () => ok(page(withdrawals))),
  http.post('*/api/user/withdraw', async ({ request }) => {
    const { amount } = (await request.json()) as { amount: string };
    return ok(withdrawal({ amount }));
  }),
  http.get('*/api/transaction_flow/proof', () =>
    refusal(405, 'Not found', { reason: 'NOT_FOUND', field: 'sequence' }),
  ),
  http.get('*/api/checkpoint/key', () => HttpResponse.text('log+00000000+AQ==')),
  http.get('*/api/transaction_flow/statement', () =>
    HttpResponse.text(statement, { headers: { 'Content-Type': 'text/csv; charset=utf-8' } }),
  ),
];
