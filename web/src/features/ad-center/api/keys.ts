import { roots } from '@/domain/keys';
import type { Range } from '../rules';

export const adCenterKeys = {
  statistics: (range: Range) => [...roots.statistics, range] as const,
  waitingCount: [...roots.plans, 'waiting-count'] as const,
  follows: [...roots.assistance, 'list'] as const,
};
