import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { get } from '@/lib/api/call';
import type { Plan } from '@/lib/api/types';
import { isRunning } from '../rules';
import { planKeys } from './keys';
import { PLAN_REFRESH_MS } from './queries';

type Placed = Pick<Plan, 'id' | 'status'>;

/** How a plan keeps pace. Like its detail, it follows the `plan` events of the stream. */
export const paceQuery = (plan: Placed) =>
  queryOptions({
    queryKey: planKeys.pace(plan.id),
    queryFn: ({ signal }) => get('/plan/order/pace', { plan_id: plan.id }, { signal }),
    refetchInterval: isRunning(plan) ? PLAN_REFRESH_MS : false,
    staleTime: 0,
  });

/** Where a plan was shown, and why. */
export const placementsQuery = (plan: Placed) =>
  queryOptions({
    queryKey: planKeys.placements(plan.id),
    queryFn: ({ signal }) => get('/plan/order/placements', { plan_id: plan.id }, { signal }),
    refetchInterval: isRunning(plan) ? PLAN_REFRESH_MS : false,
    staleTime: 0,
  });

/** Refetches what the plan's page shows of pace and placements. */
export function refetchPlacing(queryClient: QueryClient, id: string): Promise<unknown> {
  return Promise.all(
    [planKeys.pace(id), planKeys.placements(id)].map((queryKey) =>
      queryClient.refetchQueries({ queryKey, type: 'active' }),
    ),
  );
}
