import type {
  Claimable,
  Coupon,
  FlowEntry,
  FlowType,
  MonthlyEntry,
  Notification,
  Plan,
  PlanDetail,
  PlanFigure,
  PlanStatus,
  Product,
  ProductDetail,
  Property,
  SeriesPoint,
  Statistics,
  UserInfo,
} from '@/lib/api/types';
import { add, signOf, sum } from '@/lib/money';

import { serviceEntry } from './fixtures-platform';

/** Server answers for tests and for development without a server. All times relate to one fixed moment. */
export const NOW = Date.parse('2026-11-20T14:25:00.000Z');

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export function at(offsetMs: number): string {
  return new Date(NOW + offsetMs).toISOString();
}

export function userInfo(over: Partial<UserInfo> = {}): UserInfo {
  return {
    id: 'user-1',
    username: 'demo',
    nickname: 'Demo Advertiser',
    email: 'demo@example.com',
    email_confirmed: true,
    phone: '+4915112345678',
    avatar_url: null,
    credit_score: 100,
    shop_level: 3,
    deposit: '500.00',
    proxy_operator_id: null,
    licenseKey: '************0001',
    entry: 'register',
    lang: 'en',
    vip: false,
    has_pay_password: false,
    has_bank_card: false,
    state: 'active',
    customer_service_url: [],
    recharge_customer_service_url: [serviceEntry()],
    payment_reference: 'RF18ADF0LK7QZX2M',
    created_at: at(-40 * DAY),
    ...over,
  };
}

export function property(over: Partial<Property> = {}): Property {
  return {
    currency: 'USD',
    total_assets: '18450.75',
    available_funds: '12300.50',
    to_be_consumed: '4850.25',
    to_be_settled: '1300.00',
    discount_amount: '85.00',
    start_up_funds_outstanding: '0.00',
    start_up_funds_returnable: true,
    withdrawing: '0.00',
    guarantee: '0.00',
    withdraw_blocked_by: [],
    withdrawal_available_at: null,
    frozen_at: null,
    ...over,
  };
}

export function series(points: number, stepMs: number): SeriesPoint[] {
  return Array.from({ length: points }, (_, index) => {
    const wave = 1 + Math.sin(index / 2.6) * 0.45 + Math.sin(index * 1.7) * 0.12;
    const impressions = Math.round(420 * wave);
    return {
      time: at(-(points - 1 - index) * stepMs),
      impressions,
      clicks: Math.round(impressions * 0.021),
      consumed: (impressions * 0.034).toFixed(2),
      revenue: (impressions * 0.041 * (1 + Math.cos(index) * 0.1)).toFixed(2),
    };
  });
}

export function statistics(over: Partial<Statistics> = {}): Statistics {
  return {
    type: 1,
    from: at(-14 * HOUR),
    to: at(0),
    invested: '6500.00',
    delivery_orders: 4,
    consumed: '1649.75',
    to_be_consumed: '4850.25',
    impressions: 48_210,
    clicks: 1_012,
    revenue: '1984.10',
    profit: '334.35',
    ctr: '0.0210',
    cpc: '1.63',
    roas: '1.2027',
    estimated: { spend: '0.00', revenue: '0.00' },
    simulated: { impressions: 0, clicks: 0, spend: '0.00', revenue: '0.00' },
    reported_until: [{ source: 'network-a', time: at(-12 * 60_000) }],
    previous: {
      from: at(-38 * HOUR),
      to: at(-24 * HOUR),
      invested: '4200.00',
      delivery_orders: 3,
      consumed: '1520.10',
      impressions: 44_390,
      clicks: 941,
      revenue: '1790.25',
      profit: '270.15',
    },
    bucket: 'hour',
    series: series(15, HOUR),
    ...over,
  };
}

export function product(over: Partial<Product> = {}): Product {
  return {
    id: 'product-1',
    name: 'Merge Harbor',
    icon_url: null,
    cover_url: null,
    category: 'Casual game',
    description: 'A relaxing merge game about rebuilding a harbour town.',
    game_description:
      'Players combine goods, repair piers and unlock islands. Free to play with in-app purchases.',
    content_types: ['video', 'landing_page'],
    put_min: '50.00',
    put_max: '5000.00',
    audience: { regions: ['DE', 'AT', 'CH'], age_min: 18, age_max: 45, gender: 'any' },
    ...over,
  };
}

export function productDetail(over: Partial<ProductDetail> = {}): ProductDetail {
  return {
    ...product(),
    coupons: [
      coupon(),
      coupon({
        id: 'coupon-2',
        name: 'Autumn budget',
        mode: 'addition',
        type: 'increment',
        value: '50.00',
        amount_requirement: '1000.00',
      }),
    ],
    ...over,
  };
}

export function coupon(over: Partial<Coupon> = {}): Coupon {
  return {
    id: 'coupon-1',
    name: 'New user support',
    type: 'deduction',
    mode: 'deduction',
    value: '20.00',
    amount_requirement: '100.00',
    expires_at: at(2 * DAY),
    state: 'unused',
    used_at: null,
    plan_id: null,
    source: 'new_user',
    ...over,
  };
}

export const claimables: Claimable[] = [
  {
    campaign_id: 'campaign-1',
    name: 'Weekend discount',
    kind: 'periodic',
    mode: 'discount',
    value: '10%',
    type: 'fixed_amount',
    amount_requirement: '100.00',
    valid_days: 7,
    ends_at: at(3 * DAY),
    claimed: false,
  },
];

export function plan(over: Partial<Plan> = {}): Plan {
  return {
    id: 'plan-1',
    plan_number: 'AD-20261118-000042',
    product: { id: 'product-1', name: 'Merge Harbor', icon_url: null },
    put_amount: '2000.00',
    paid_amount: '1980.00',
    discount_amount: '20.00',
    put_progress: 62,
    status: 'putting',
    official: false,
    operator_id: null,
    put_content: 'Video, 15 seconds, portrait',
    put_rule: 'Even delivery over the day',
    user_targeting: { regions: ['DE', 'AT', 'CH'], age_min: 18, age_max: 45, gender: 'any' },
    impressions: 36_480,
    clicks: 766,
    consumed: '1240.30',
    to_be_consumed: '759.70',
    revenue: '1498.92',
    profit: '258.62',
    coupon_share: '12.40',
    result: '271.02',
    coupon: { id: 'coupon-9', name: 'New user support' },
    fail_reason: null,
    create_time: at(-2 * DAY),
    put_time: at(-2 * DAY),
    finish_time: null,
    settle_time: null,
    expire_time: null,
    end_time: null,
    no_supply_since: null,
    estimated: false,
    sources: ['network'],
    ...over,
  };
}

const NOTHING_YET = {
  put_progress: 0,
  impressions: 0,
  clicks: 0,
  consumed: '0.00',
  revenue: '0.00',
  profit: '0.00',
  coupon_share: '0.00',
} as const;
const NO_COUPON = { coupon: null, discount_amount: '0.00', coupon_share: '0.00' } as const;

const PLAN_STATES: [PlanStatus, Partial<Plan>][] = [
  ['putting', { end_time: at(12 * DAY) }],
  [
    'waiting',
    {
      ...NOTHING_YET,
      ...NO_COUPON,
      official: true,
      operator_id: 'op',
      put_amount: '800.00',
      paid_amount: '0.00',
      to_be_consumed: '0.00',
      expire_time: at(5 * DAY),
      sources: [],
    },
  ],
  [
    'matching',
    {
      ...NOTHING_YET,
      put_amount: '1500.00',
      paid_amount: '1480.00',
      to_be_consumed: '1500.00',
      end_time: at(5 * DAY),
      sources: [],
    },
  ],
  [
    'settled',
    {
      ...NO_COUPON,
      put_progress: 100,
      consumed: '1000.00',
      put_amount: '1000.00',
      paid_amount: '1000.00',
      to_be_consumed: '0.00',
      revenue: '1184.20',
      profit: '184.20',
    },
  ],
  [
    'waiting_settlement',
    {
      ...NO_COUPON,
      put_progress: 100,
      official: true,
      consumed: '1200.00',
      put_amount: '1200.00',
      paid_amount: '1200.00',
      to_be_consumed: '0.00',
      revenue: '1132.07',
      profit: '-67.93',
    },
  ],
  [
    'put_failed',
    {
      ...NOTHING_YET,
      to_be_consumed: '0.00',
      fail_reason: 'The network refused the content.',
      sources: [],
    },
  ],
  [
    'put_finished',
    {
      ...NO_COUPON,
      put_progress: 100,
      consumed: '500.00',
      put_amount: '500.00',
      paid_amount: '500.00',
      to_be_consumed: '0.00',
      revenue: '612.44',
      profit: '112.44',
    },
  ],
];

const PRODUCTS = ['Merge Harbor', 'FitCoach Daily', 'Orbit Puzzle Saga'];

export const plans: Plan[] = PLAN_STATES.map(([status, over], index) => {
  const made = plan({
    id: `plan-${index + 1}`,
    plan_number: `AD-2026111${8 - index}-00004${index}`,
    product: { id: `product-${(index % 3) + 1}`, name: PRODUCTS[index % 3] ?? '', icon_url: null },
    status,
    create_time: at(-index * DAY),
    ...over,
  });
  return { ...made, result: add(made.profit, made.coupon_share) };
});

/** The plans that a figure counts, and the figure. */
export function countedBy(figure: PlanFigure, from: Plan[]): { plans: Plan[]; sum: string | number } {
  const isCounted = ({ status, to_be_consumed }: Plan) => {
    if (figure === 'to_be_consumed') return status !== 'waiting' && signOf(to_be_consumed) > 0;
    if (figure === 'to_be_settled') return ['putting', 'put_finished', 'waiting_settlement'].includes(status);
    return status !== 'waiting' && status !== 'put_failed';
  };
  const counted = from.filter(isCounted);
  const amounts = {
    invested: 'put_amount',
    to_be_consumed: 'to_be_consumed',
    to_be_settled: 'revenue',
  } as const;
  const total =
    figure === 'delivery_orders' ? counted.length : sum(counted.map((one) => one[amounts[figure]]));
  return { plans: counted, sum: total };
}

export function flow(
  index: number,
  type: FlowType,
  amount: string,
  over: Partial<FlowEntry> = {},
): FlowEntry {
  return {
    id: `flow-${index}`,
    time: at(-index * 7 * HOUR),
    type,
    amount,
    balance_after: '12300.50',
    remark: null,
    reference: type === 'system_top_up' ? null : 'plan-1',
    account: type === 'ad_billing' || type === 'discount_amount' ? 'to_be_consumed' : 'available',
    plan: null,
    transfer: type === 'ad_serving' || type === 'profit_sharing',
    hash: 'ab'.repeat(32),
    ...over,
  };
}

export const flows: FlowEntry[] = [
  flow(0, 'profit_sharing', '1184.20', { remark: 'AD-20261115-000043' }),
  flow(1, 'ad_billing', '-1240.30', { remark: 'AD-20261118-000042' }),
  flow(2, 'ad_serving', '-1980.00', { remark: 'AD-20261118-000042' }),
  flow(3, 'discount_amount', '20.00', { remark: 'New user support' }),
  flow(4, 'system_top_up', '15000.00'),
];

export function planDetail(over: Partial<PlanDetail> = {}): PlanDetail {
  return {
    ...plan(),
    timeline: [
      { status: 'matching', time: at(-2 * DAY), reason: null },
      { status: 'putting', time: at(-2 * DAY + HOUR), reason: null },
    ],
    series: series(24, 2 * HOUR),
    bucket: 'hour',
    flow: flows.slice(1, 4),
    ...over,
  };
}

export const monthly: MonthlyEntry[] = [
  {
    month: '2026-11',
    income: '16184.20',
    expense: '3200.30',
    net: '12983.90',
    by_type: { system_top_up: '15000.00', profit_sharing: '1184.20', ad_serving: '-3200.30' },
    deposits: '15000.00',
    revenue: '1184.20',
    spent: '3200.30',
    withdrawn: '0.00',
    lent: '0.00',
  },
  {
    month: '2026-10',
    income: '900.00',
    expense: '1583.40',
    net: '-683.40',
    by_type: { system_top_up: '900.00', ad_serving: '-1583.40' },
    deposits: '900.00',
    revenue: '0.00',
    spent: '1583.40',
    withdrawn: '0.00',
    lent: '0.00',
  },
];

export function notification(over: Partial<Notification> = {}): Notification {
  return {
    id: 'notification-1',
    category: 'activity',
    title: 'Deposit credited',
    content: 'A deposit of 15,000.00 USD was credited to your wallet.',
    read: false,
    time: at(-HOUR),
    kind: 'money',
    target: { kind: 'entry', id: 'flow-18' },
    ...over,
  };
}

export const notifications: Notification[] = [
  notification(),
  notification({
    id: 'notification-2',
    title: 'Plan settled',
    content: 'Plan AD-20261115-000043 was settled: 1,184.20 USD.',
    kind: 'plan',
    target: { kind: 'plan', id: 'plan-7' },
    time: at(-5 * HOUR),
  }),
  notification({
    id: 'notification-5',
    title: 'New login',
    content: 'Somebody logged in from a device that your account did not know.',
    kind: 'security',
    target: null,
    read: true,
    time: at(-6 * HOUR),
  }),
  notification({
    id: 'notification-3',
    category: 'maintenance',
    kind: 'offer',
    target: null,
    title: 'Maintenance on Sunday from 02:00 to 03:00 UTC',
    content: 'Delivery goes on; the console may be slow for a few minutes.',
    read: true,
    time: at(-DAY),
  }),
  notification({
    id: 'notification-4',
    category: 'announcement',
    kind: 'offer',
    target: null,
    title: 'New products',
    content: 'Three products were added.',
    read: true,
    time: at(-3 * DAY),
  }),
];
