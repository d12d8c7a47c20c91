import { http, type RequestHandler } from 'msw';
import { ok, page, refusal } from '../answers';
import { acceptorDetail, exchangeOrder, exchangeOrders } from '../fixtures-exchange';

export const exchangeHandlers: RequestHandler[] = [
  http.get('*/api/acceptor/order/list', () => ok(page(exchangeOrders))),
  http.post('*/api/acceptor/detail', async ({ request }) => {
    const { kind, code } = (await request.json()) as { kind: string; code: string };
    if (kind !== 'personal' || code !== 'DEMO-PERSONAL') {
      return refusal(400, 'Acceptance code error, please re-enter', {
        reason: 'ACCEPTANCE_CODE_ERROR',
        field: 'code',
      });
    }
    return ok(acceptorDetail());
  }),
  http.post('*/api/acceptor/order/create', () => ok(exchangeOrder())),
  http.post('*/api/acceptor/order/cancel', () => ok(exchangeOrder({ status: 'cancelled' }))),
];
