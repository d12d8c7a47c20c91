import { http } from 'msw';
import type { Notification, StatisticsType } from '@/lib/api/types';
import { ok, page } from './answers';
import * as fixtures from './fixtures';
import { pace, placements } from './fixtures-placing';
import { reports, totals } from './fixtures-reports';
import { adCenterHandlers } from './handlers/ad-center';
import { exchangeHandlers } from './handlers/exchange';
import { planList } from './handlers/plan-list';
import { platformHandlers } from './handlers/platform';
import { securityHandlers } from './handlers/security';
import { supportHandlers } from './handlers/support';
import { walletHandlers } from './handlers/wallet';

const session = { token: 'token-1', expires_at: fixtures.at(86_400_000), user: fixtures.userInfo() };

/** Handlers for a server without failures. Tests override what they are about. */
export const handlers = [
  ...adCenterHandlers,
  ...platformHandlers,
  ...securityHandlers,
  ...supportHandlers,
  ...walletHandlers,
  ...exchangeHandlers,
  http.post('*/api/auth/v2/login', () => ok(session)),
  http.post('*/api/auth/v2/register', () => ok(session)),
  http.post('*/api/auth/v2/host', () => ok({ ...session, user: fixtures.userInfo({ entry: 'host' }) })),
  http.post('*/api/user/freeze/mail', () => ok({})),
  http.post('*/api/auth/logout', () => ok({})),
  http.post('*/api/opening_store', () => ok({ ...session, user: fixtures.userInfo({ entry: 'host' }) })),
  http.get('*/api/user/info', () => ok(fixtures.userInfo())),
  http.get('*/api/user/property', () => ok(fixtures.property())),
  http.get('*/api/ad/order/data_statistics/list', ({ request }) => {
    const type = Number(new URL(request.url).searchParams.get('type') ?? 1) as StatisticsType;
    const day = 86_400_000;
    const series =
      type === 1
        ? fixtures.series(15, day / 24)
        : fixtures.series([0, 0, 5, 20, 14, 7, 30][type] ?? 15, type === 4 ? 30 * day : day);
    const bucket = type === 1 ? 'hour' : type === 4 ? 'month' : 'day';
    return ok(fixtures.statistics({ type, series, bucket, ...(type === 4 ? { previous: null } : {}) }));
  }),
  http.get('*/api/plan/product/list', () =>
    ok(
      page([
        fixtures.product(),
        fixtures.product({ id: 'product-2', name: 'FitCoach Daily', category: 'Health app' }),
        fixtures.product({
          id: 'product-3',
          name: 'Orbit Puzzle Saga',
          category: 'Puzzle game',
          put_max: '20000.00',
        }),
      ]),
    ),
  ),
  http.get('*/api/plan/order/list', ({ request }) => ok(planList(new URL(request.url).searchParams))),
  http.post('*/api/plan/order/detail', async ({ request }) => {
    const { id } = (await request.json()) as { id: string };
    const plan = fixtures.plans.find((candidate) => candidate.id === id) ?? fixtures.plan({ id });
    if (plan.status === 'waiting' || plan.status === 'matching') {
      const timeline = [{ status: plan.status, time: plan.create_time, reason: null }];
      return ok(fixtures.planDetail({ ...plan, timeline, series: [], flow: [] }));
    }
    return ok(fixtures.planDetail(plan));
  }),
  http.post('*/api/plan/order/cancel', () => ok(fixtures.plan({ id: 'plan-3', status: 'put_failed' }))),
  http.get('*/api/plan/order/reports', () => ok({ ...page(reports), totals: totals() })),
  http.get('*/api/plan/order/pace', () => ok(pace())),
  http.get('*/api/plan/order/placements', () => ok(placements())),
  http.post('*/api/plan/order/app/detail', () => ok(fixtures.productDetail())),
  http.post('*/api/plan/order/put', () => ok(fixtures.plan({ id: 'plan-new', status: 'matching' }))),
  http.get('*/api/user_coupon/list', ({ request }) => {
    const state = new URL(request.url).searchParams.get('state') ?? 'unused';
    const all = [
      fixtures.coupon(),
      fixtures.coupon({
        id: 'coupon-2',
        name: 'Autumn budget',
        type: 'increment',
        mode: 'addition',
        value: '50.00',
        amount_requirement: '1000.00',
        expires_at: fixtures.at(20 * 86_400_000),
      }),
      fixtures.coupon({
        id: 'coupon-3',
        name: 'Ten percent',
        mode: 'discount',
        value: '10%',
        state: 'used',
        used_at: fixtures.at(-86_400_000),
        plan_id: 'plan-1',
      }),
    ];
    return ok({
      ...page(all.filter((coupon) => coupon.state === state)),
      counts: { unused: 2, used: 1, expired: 0 },
      claimable: fixtures.claimables,
    });
  }),
  http.post('*/api/user_coupon/receive', () => ok(fixtures.coupon())),
  http.post('*/api/user/notifications/unread_count', () => ok({ unread_total: 2, sequence: 7 })),
  http.post('*/api/user/notifications/read', () => ok({ unread_total: 1, sequence: 8 })),
  http.post('*/api/user/notifications', async ({ request }) => {
    const { category = 'all', filter = 'all' } = (await request.json()) as {
      category?: string;
      filter?: string;
    };
    const matches = (item: Notification) =>
      (category === 'all' || item.category === category) &&
      (filter === 'all' || item.read === (filter === 'read'));
    return ok({ ...page(fixtures.notifications.filter(matches)), unread_total: 2, sequence: 7 });
  }),
  http.get('*/api/transaction_flow/monthly', () =>
    ok({ items: fixtures.monthly, first_month: fixtures.monthly.at(-1)?.month ?? null }),
  ),
];
