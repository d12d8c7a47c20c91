import type { QueryKey } from '@tanstack/react-query';
import { consoleKeys } from '../../api/keys';

/** What an act on a plan changes elsewhere: the plan, the lists of plans, and its user's wallet. */
export function touchesOf(id: string, user: string): QueryKey[] {
  return [
    consoleKeys.one('/admin/plan/detail', id),
    consoleKeys.one('/admin/plan/pace', id),
    consoleKeys.one('/admin/plan/placements', id),
    consoleKeys.list('/admin/plan/list'),
    consoleKeys.one('/admin/user/detail', user),
  ];
}
