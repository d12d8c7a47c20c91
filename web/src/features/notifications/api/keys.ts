import { roots } from '@/domain/keys';
import type { Category, Filter } from '../rules';

export const notificationKeys = {
  all: roots.notifications,
  unread: [...roots.notifications, 'unread'] as const,
  lists: [...roots.notifications, 'list'] as const,
  list: (category: Category, filter: Filter) => [...roots.notifications, 'list', category, filter] as const,
  markRead: ['mark-read'] as const,
};
