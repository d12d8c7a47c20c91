import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { LongInput, REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { optionalText } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import type { Feedback } from './feedback';
import { FeedbackBody } from './feedback-body';

/** The server's maximum. */
const REPLY_LIMIT = 2_000;

/** Shows open feedback and closes it, with or without a reply. */
export function CloseFeedback({ feedback, onClose }: { feedback: Feedback; onClose: () => void }) {
  const { t } = useTranslation('console');
  const { id, topic, user } = feedback;
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/feedback/close',
        item: { kind: 'feedback', id },
        title: t('feedback.close.title', { topic }),
        submit: t('feedback.close.submit'),
        wide: true,
        intro: <FeedbackBody feedback={feedback} />,
        schema: z.object({ reply: optionalText(REPLY_LIMIT), reason: optionalText(REASON_LIMIT) }),
        initial: { reply: '', reason: '' },
        fields: (
          <>
            <LongInput name="reply" label={t('feedback.close.reply')} limit={REPLY_LIMIT} optional />
            <ReasonInput optional />
          </>
        ),
        changes: ({ reply }) => [
          {
            what: t('feedback.state'),
            before: t('feedback.states.open'),
            after: t('feedback.states.closed'),
          },
          {
            what: t('feedback.close.reply'),
            before: null,
            after: reply === '' ? t('feedback.close.reply_none') : reply,
          },
        ],
        body: ({ reply, reason }) => ({
          id,
          ...(reply === '' ? {} : { reply }),
          ...(reason === '' ? {} : { reason }),
        }),
        done: (_answer, { reply }) => ({
          text:
            reply === ''
              ? t('feedback.close.closed')
              : t('feedback.close.replied', { name: user.username ?? user.id }),
          links: [{ label: t('feedback.close.see_user'), to: `/users/${user.id}` }],
        }),
        touches: [consoleKeys.list('/admin/feedback/list')],
      }}
    />
  );
}
