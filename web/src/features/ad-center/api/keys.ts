import { roots } from '@/domain/keys';
import type { Range } from '@/domain/statistics/range';

export const adCenterKeys = {
  statistics: (range: Range) => [...roots.statistics, range] as const,
  waitingPlans: [...roots.plans, 'waiting-plans'] as const,
  claimable: [...roots.coupons, 'claimable'] as const,
  follows: [...roots.assistance, 'list'] as const,
};
