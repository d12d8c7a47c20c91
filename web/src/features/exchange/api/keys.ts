import { roots } from '@/lib/query-roots';

export const exchangeKeys = {
  orders: [roots.exchange, 'orders'] as const,
  found: [roots.exchange, 'found'] as const,
};
