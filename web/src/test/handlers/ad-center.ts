import { http, type RequestHandler } from 'msw';
import { ok, page } from '../answers';
import * as fixtures from '../fixtures';
import { follow, follows } from '../fixtures-account';

export const adCenterHandlers: RequestHandler[] = [
  http.post('*/api/plan/order/await/put/count', () => ok({ count: 1 })),
  http.get('*/api/assistance/list', () => ok({ ...page(follows), current_operator_id: 'operator-1' })),
  http.post('*/api/assistance/follow', () => ok(follow())),
  http.post('*/api/user/info/edit', async ({ request }) => {
    const change = (await request.json()) as Partial<ReturnType<typeof fixtures.userInfo>>;
    return ok(fixtures.userInfo(change));
  }),
];
