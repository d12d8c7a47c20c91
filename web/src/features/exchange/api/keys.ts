import { roots } from '@/domain/keys';

export const exchangeKeys = {
  orders: [...roots.exchange, 'orders'] as const,
  found: [...roots.exchange, 'found'] as const,
};
