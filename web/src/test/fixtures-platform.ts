import type { BasicConfig, ServiceEntry } from '@/lib/api/types';

export function serviceEntry(over: Partial<ServiceEntry> = {}): ServiceEntry {
  return {
    id: 'service-1',
    type: 2,
    url: 'https://chat.example.com/',
    label: 'Deposits',
    hours: '',
    answer_time: '',
    ...over,
  };
}

export function basicConfig(over: Partial<BasicConfig> = {}): BasicConfig {
  return {
    currency: 'USD',
    customer_service_url: [
      serviceEntry({
        id: 'service-2',
        type: 1,
        url: 'https://support.example.com/chat?name={username}&about={subject}',
        label: 'Online service',
        hours: 'Mon–Fri, 9:00–18:00 CET',
        answer_time: 'Usually within an hour',
      }),
    ],
    recharge_customer_service_url: [serviceEntry()],
    deposit_methods: [
      {
        id: 'method-1',
        name: 'Bank transfer',
        min: '50.00',
        max: '100000.00',
        fee: 'Free of charge',
        arrival: 'Within 2 working days',
      },
      {
        id: 'method-2',
        name: 'USDT (TRC20)',
        min: '20.00',
        max: null,
        fee: 'The network’s fee',
        arrival: 'Within an hour',
      },
    ],
    legal: ['imprint', 'terms', 'privacy', 'fees'],
    client_language_map: [{ source: 'zh-tw,zh-hk', targets: 'cht' }],
    withdraw_method_config: [
      { method: 'bank_card', enabled: true, min: '10.00', max: '10000.00', fee: '2.00' },
      { method: 'wallet_address', enabled: true, min: '20.00', max: '10000.00', fee: '1.00' },
    ],
    withdrawal_cooling_off_hours: 24,
    faq_config: [
      {
        id: 'faq-1',
        title: 'How long does a plan need to learn?',
        content: 'Learning needs about 30-50 conversions within 7 days.\n\nUntil then results can change.',
      },
      { id: 'faq-2', title: 'What happens to my money?', content: 'It is held for the plan.' },
      { id: 'faq-3', title: 'Where do figures come from?', content: 'From delivery reports.' },
      { id: 'faq-4', title: 'How do I deposit?', content: 'Customer service credits deposits.' },
      { id: 'faq-5', title: 'How do I use a coupon?', content: 'Choose it when you place a plan.' },
    ],
    operating_rules: '1. One person holds one account.\n2. Advertising bears risks.',
    activity_rules: '1. There is no minimum investment.\n2. Coupons are distributed periodically.',
    put_amount: { min: '50.00', max: '5000.00' },
    leave_limits: { per_day: '50000.00', per_destination: '20000.00' },
    exchange_limit: { min: '1.00', max: '50000.00' },
    stats_refresh_seconds: 30,
    upload_max_bytes: 5_242_880,
    marketing: { headline: 'A network that reaches over 3 billion users' },
    ...over,
  };
}
