import { roots, sharedKeys } from '@/domain/keys';
import type { Range } from '@/domain/statistics/range';
import type { PlanFigure } from '@/lib/api/types';
import type { Push, StatusTab } from '../rules';

export const planKeys = {
  all: roots.plans,
  list: (push: Push, status: StatusTab) => [...roots.plans, 'list', push, status] as const,
  figure: (figure: PlanFigure, range: Range) => [...roots.plans, 'list', 'figure', figure, range] as const,
  table: (filter: object) => [...roots.plans, 'list', 'table', filter] as const,
  tableTotals: (filter: object) => [...roots.plans, 'list', 'totals', filter] as const,
  detail: (id: string) => [...roots.plans, 'detail', id] as const,
  reports: (id: string) => [...roots.plans, 'reports', id] as const,
  pace: (id: string) => [...roots.plans, 'pace', id] as const,
  placements: (id: string) => [...roots.plans, 'placements', id] as const,
  waiting: [...roots.plans, 'waiting'] as const,
  products: [...roots.plans, 'products'] as const,
  product: (id: string) => [...sharedKeys.productDetails, id] as const,
};

const OF_ONE_PLAN: readonly unknown[] = ['detail', 'reports', 'pace', 'placements'];

/** Whether a query reads another plan than this one alone. */
export function isOfOtherPlan([root, what, id]: readonly unknown[], plan: string): boolean {
  return root === roots.plans[0] && OF_ONE_PLAN.includes(what) && id !== plan;
}
