import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { post } from '@/lib/api/call';
import type { UnreadCount } from '@/lib/api/types';
import { laterCount } from '../count';
import type { Category, Filter } from '../rules';
import { notificationKeys } from './keys';

export const unreadCountQuery = queryOptions({
  queryKey: notificationKeys.unread,
  queryFn: async ({ client, signal }) => {
    const count = await post('/user/notifications/unread_count', {}, { signal });
    // The event stream may have been faster.
    return laterCount(client.getQueryData<UnreadCount>(notificationKeys.unread), count);
  },
});

export const notificationListQuery = (category: Category, filter: Filter) =>
  infiniteQueryOptions({
    queryKey: notificationKeys.list(category, filter),
    queryFn: ({ pageParam, signal }) =>
      post(
        '/user/notifications',
        { category, filter, ...(pageParam ? { cursor: pageParam } : {}) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    staleTime: 0,
  });
