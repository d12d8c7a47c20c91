import { roots } from '@/domain/keys';

export const exchangeKeys = {
  orders: [...roots.exchange, 'orders'] as const,
  order: (id: string) => [...roots.exchange, 'order', id] as const,
  found: [...roots.exchange, 'found'] as const,
};
