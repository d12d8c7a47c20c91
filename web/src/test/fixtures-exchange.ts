import type { AcceptorDetail, ExchangeOrder } from '@/lib/api/types';
import { at } from './fixtures';

const HOUR = 3_600_000;

/** Offers expire by the browser's clock, so the time cannot be fixed. */
export function fromNow(offsetMs: number): string {
  return new Date(Date.now() + offsetMs).toISOString();
}

export function acceptorDetail(over: Partial<AcceptorDetail> = {}): AcceptorDetail {
  return {
    acceptor: {
      id: 'acceptor-1',
      kind: 'personal',
      name: 'Lena Hoffmann',
      rating: '4.7',
      completed_orders: 128,
    },
    offer: {
      id: 'offer-1',
      direction: 'wallet_to_currency',
      currency: 'EUR',
      rate: '0.9185',
      min: '50.00',
      max: '2000.00',
      expires_at: fromNow(6 * HOUR),
    },
    current: null,
    ...over,
  };
}

export function exchangeOrder(over: Partial<ExchangeOrder> = {}): ExchangeOrder {
  return {
    id: '01a200c5-a54c-7361-91cd-6f2bff926fad',
    acceptor: { id: 'acceptor-1', name: 'Lena Hoffmann', kind: 'personal' },
    direction: 'wallet_to_currency',
    currency: 'EUR',
    rate: '0.9185',
    amount: '250.00',
    counter_amount: '229.62',
    status: 'pending',
    reason: null,
    create_time: at(-HOUR),
    expire_time: fromNow(23 * HOUR),
    finish_time: null,
    missing: '0.00',
    ...over,
  };
}

const DAY = 24 * HOUR;

export const exchangeOrders: ExchangeOrder[] = [
  exchangeOrder({
    id: 'exchange-3',
    status: 'completed',
    finish_time: at(-DAY),
    create_time: at(-DAY - HOUR),
  }),
  exchangeOrder({
    id: 'exchange-2',
    acceptor: { id: 'acceptor-2', name: 'Meridian Exchange Ltd', kind: 'enterprise' },
    currency: 'GBP',
    rate: '0.7812',
    amount: '1200.00',
    counter_amount: '937.44',
    status: 'cancelled',
    reason: 'The bank was closed.',
    create_time: at(-5 * DAY),
    finish_time: at(-4 * DAY),
  }),
  exchangeOrder({
    id: 'exchange-1',
    direction: 'currency_to_wallet',
    currency: 'JPY',
    rate: '153.99',
    amount: '80.00',
    counter_amount: '12319',
    status: 'expired',
    create_time: at(-9 * DAY),
    finish_time: at(-8 * DAY),
  }),
];
