import { roots } from '@/lib/query-roots';
import type { Category, Filter } from '../rules';

export const notificationKeys = {
  all: [roots.notifications] as const,
  unread: [roots.notifications, 'unread'] as const,
  lists: [roots.notifications, 'list'] as const,
  list: (category: Category, filter: Filter) => [roots.notifications, 'list', category, filter] as const,
};
