import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/i18n/error-text';
import type { PostAnswer, PostBody } from '@/lib/api/contract';
import { hasReason, isNetworkError } from '@/lib/api/error';
import { type StaffPostPath, staffPost } from '../api/call';
import { consoleKeys } from '../api/keys';
import { SECOND_FACTOR_CANCELLED } from '../api/second-factor';
import { intentionKey, settleIntention } from './intentions';

/** Every change of staff takes a reason for the audit log, also where the contract does not list it. */
export type ActBody<P extends StaffPostPath> = PostBody<P> & { reason?: string };

type Handlers<P extends StaffPostPath> = {
  /** What is read anew afterwards, besides the audit log, the approvals and what waits. */
  touches: readonly QueryKey[];
  onSuccess?: (answer: PostAnswer<P>) => void;
  onError?: (error: Error) => void;
};

/** Makes an act, once however often it is tried. */
export function useSend<P extends StaffPostPath>(path: P, { touches, onSuccess, onError }: Handlers<P>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: ActBody<P>) => staffPost(path, body, { idempotencyKey: intentionKey(path, body) }),
    onSettled: (_answer, error, body) => {
      settleIntention(path, body, error);
      const stale = [
        ...touches,
        consoleKeys.list('/admin/audit/list'),
        consoleKeys.list('/admin/approval/list'),
        consoleKeys.one('/admin/today'),
      ];
      for (const queryKey of stale) void queryClient.invalidateQueries({ queryKey });
    },
    ...(onSuccess ? { onSuccess } : {}),
    ...(onError ? { onError } : {}),
  });
}

/** What went wrong with an act. After a lost answer it says that trying again does it once only. */
export function useProblemText(): (error: Error, ofLostAnswer?: string) => string {
  const { t } = useTranslation('console');
  return (error, ofLostAnswer = t('act.unknown')) => {
    if (hasReason(error, SECOND_FACTOR_CANCELLED)) return t('act.cancelled');
    return isNetworkError(error) ? ofLostAnswer : errorText(error);
  };
}
