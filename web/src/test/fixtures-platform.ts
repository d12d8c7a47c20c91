import type { BasicConfig } from '@/lib/api/types';

export function basicConfig(over: Partial<BasicConfig> = {}): BasicConfig {
  return {
    currency: 'USD',
    customer_service_url: [
      { id: 'service-2', type: 1, url: 'https://support.example.com/chat', label: 'Online service' },
    ],
    recharge_customer_service_url: [
      { id: 'service-1', type: 2, url: 'https://chat.example.com/', label: 'Deposits' },
    ],
    client_language_map: [{ source: 'zh-tw,zh-hk', targets: 'cht' }],
    withdraw_method_config: [
      { method: 'bank_card', enabled: true, min: '10.00', max: '10000.00', fee: '2.00' },
      { method: 'wallet_address', enabled: true, min: '20.00', max: '10000.00', fee: '1.00' },
    ],
    faq_config: [],
    operating_rules: '',
    activity_rules: '',
    put_amount: { min: '50.00', max: '5000.00' },
    exchange_limit: { min: '1.00', max: '50000.00' },
    stats_refresh_seconds: 30,
    upload_max_bytes: 5_242_880,
    marketing: null,
    ...over,
  };
}
