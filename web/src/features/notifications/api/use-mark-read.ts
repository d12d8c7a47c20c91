import { type InfiniteData, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { post } from '@/lib/api/call';
import type { PostAnswer } from '@/lib/api/contract';
import { isSessionError } from '@/lib/api/error';
import type { UnreadCount } from '@/lib/api/types';
import { toast } from '@/ui/toast';
import { laterCount } from '../count';
import { type Mark, markPages, unmarkPages, unreadAfter, unreadIds } from '../rules';
import { notificationKeys } from './keys';
import { tellOtherTabs } from './other-tabs';

type Lists = InfiniteData<PostAnswer<'/user/notifications'>>;

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
      const known = queryClient.getQueryData<UnreadCount>(notificationKeys.unread);
      const before = known?.unread_total;
      const marked = new Set<string>();
      updateLists(queryClient, (pages) => {
        for (const id of unreadIds(pages, mark)) marked.add(id);
        return markPages(pages, mark);
      });
      const after = before === undefined ? undefined : unreadAfter(before, mark);
      if (after !== undefined) {
        queryClient.setQueryData<UnreadCount>(
          notificationKeys.unread,
          (count) => count && { ...count, unread_total: after },
        );
      }
      return { marked, taken: (before ?? 0) - (after ?? 0), sequence: known?.sequence };
    },
    onError: (error, mark, context) => {
      if (context) {
        // Undoes only this mutation: another one may have succeeded meanwhile. A later count does not include it.
        updateLists(queryClient, (pages) => unmarkPages(pages, context.marked));
        queryClient.setQueryData<UnreadCount>(notificationKeys.unread, (count) =>
          count && count.sequence === context.sequence
            ? { ...count, unread_total: count.unread_total + context.taken }
            : count,
        );
      }
      if (isSessionError(error)) return;
      toast(t('id' in mark ? 'notifications.mark_failed' : 'notifications.mark_all_failed'), 'fail');
    },
    onSuccess: (count) => {
      if (isLast()) {
        queryClient.setQueryData<UnreadCount>(notificationKeys.unread, (known) => laterCount(known, count));
      }
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
