import { type InfiniteData, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type PostAnswer, post } from '@/lib/api/call';
import { isSessionError } from '@/lib/api/error';
import { toast } from '@/ui/toast';
import { type Mark, markPages, unmarkPages, unreadAfter, unreadIds } from '../rules';
import { notificationKeys } from './keys';
import { tellOtherTabs } from './other-tabs';

type Lists = InfiniteData<PostAnswer<'/user/notifications'>>;
type Count = PostAnswer<'/user/notifications/unread_count'>;

/** Marks as read optimistically, and undoes it if the server fails. */
export function useMarkRead() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // An answer does not include mutations that are still pending.
  const isLast = () => queryClient.isMutating({ mutationKey: notificationKeys.markRead }) === 1;

  return useMutation({
    mutationKey: notificationKeys.markRead,
    mutationFn: (mark: Mark) => post('/user/notifications/read', mark),
    meta: { inline: true },
    onMutate: async (mark) => {
      await queryClient.cancelQueries({ queryKey: notificationKeys.all });
      const before = queryClient.getQueryData<Count>(notificationKeys.unread)?.unread_total;
      const marked = new Set<string>();
      updateLists(queryClient, (pages) => {
        for (const id of unreadIds(pages, mark)) marked.add(id);
        return markPages(pages, mark);
      });
      const after = before === undefined ? undefined : unreadAfter(before, mark);
      if (after !== undefined) queryClient.setQueryData(notificationKeys.unread, { unread_total: after });
      return { marked, taken: (before ?? 0) - (after ?? 0) };
    },
    onError: (error, mark, context) => {
      if (context) {
        // Undoes only this mutation: another one may have succeeded meanwhile.
        updateLists(queryClient, (pages) => unmarkPages(pages, context.marked));
        queryClient.setQueryData<Count>(
          notificationKeys.unread,
          (count) => count && { unread_total: count.unread_total + context.taken },
        );
      }
      if (isSessionError(error)) return;
      toast(t('id' in mark ? 'notifications.mark_failed' : 'notifications.mark_all_failed'), 'fail');
    },
    onSuccess: ({ unread_total }) => {
      if (isLast()) queryClient.setQueryData(notificationKeys.unread, { unread_total });
      tellOtherTabs();
    },
  });
}

function updateLists(queryClient: QueryClient, change: (pages: Lists['pages']) => Lists['pages']): void {
  queryClient.setQueriesData<Lists>(
    { queryKey: notificationKeys.lists },
    (data) => data && { ...data, pages: change(data.pages) },
  );
}
