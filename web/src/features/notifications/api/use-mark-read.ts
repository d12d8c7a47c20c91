import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query';
import { type PostAnswer, post } from '@/lib/api/call';
import { type Mark, markPages, unreadAfter } from '../rules';
import { notificationKeys } from './keys';
import { tellOtherTabs } from './other-tabs';

type ListPage = PostAnswer<'/user/notifications'>;

/** Marks as read at once on the screen, and takes it back when the server could not. */
export function useMarkRead() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (mark: Mark) => post('/user/notifications/read', mark),
    onMutate: async (mark) => {
      await queryClient.cancelQueries({ queryKey: notificationKeys.all });
      const lists = queryClient.getQueriesData<InfiniteData<ListPage>>({ queryKey: notificationKeys.lists });
      const unread = queryClient.getQueryData<{ unread_total: number }>(notificationKeys.unread);
      for (const [key, data] of lists) {
        if (data) queryClient.setQueryData(key, { ...data, pages: markPages(data.pages, mark) });
      }
      if (unread) {
        queryClient.setQueryData(notificationKeys.unread, {
          unread_total: unreadAfter(unread.unread_total, mark),
        });
      }
      return { lists, unread };
    },
    onError: (_error, _mark, before) => {
      for (const [key, data] of before?.lists ?? []) queryClient.setQueryData(key, data);
      if (before?.unread) queryClient.setQueryData(notificationKeys.unread, before.unread);
    },
    onSuccess: ({ unread_total }) => {
      queryClient.setQueryData(notificationKeys.unread, { unread_total });
      tellOtherTabs();
    },
  });
}
