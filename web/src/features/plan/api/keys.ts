import { roots, sharedKeys } from '@/domain/keys';
import type { Push, StatusTab } from '../rules';

export const planKeys = {
  all: roots.plans,
  list: (push: Push, status: StatusTab) => [...roots.plans, 'list', push, status] as const,
  detail: (id: string) => [...roots.plans, 'detail', id] as const,
  reports: (id: string) => [...roots.plans, 'reports', id] as const,
  waiting: [...roots.plans, 'waiting'] as const,
  products: [...roots.plans, 'products'] as const,
  product: (id: string) => [...sharedKeys.productDetails, id] as const,
};
