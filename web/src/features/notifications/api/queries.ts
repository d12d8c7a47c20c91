import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { post } from '@/lib/api/call';
import type { Category, Filter } from '../rules';
import { notificationKeys } from './keys';

export const unreadCountQuery = queryOptions({
  queryKey: notificationKeys.unread,
  queryFn: ({ signal }) => post('/user/notifications/unread_count', {}, { signal }),
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
