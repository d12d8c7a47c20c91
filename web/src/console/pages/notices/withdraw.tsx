import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useFormats } from '@/i18n/format';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { titleOf } from './announcement-cells';
import type { Announcement } from './edit';

type Props = { announcement: Announcement; onClose: () => void };

/** Takes a scheduled announcement back before its time. */
export function Withdraw({ announcement, onClose }: Props) {
  const { t } = useTranslation('console');
  const { dateTime } = useFormats();
  const { id, version, publish_at: at } = announcement;
  const title = titleOf(announcement);
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/announcement/withdraw',
        title: t('notices.withdraw_title', { title }),
        submit: t('notices.withdraw'),
        tone: 'danger',
        intro: <p>{t('notices.withdraw_intro')}</p>,
        schema: z.object({ reason: text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [
          {
            what: t('notices.state'),
            before: t('notices.states.scheduled'),
            after: t('notices.states.withdrawn'),
          },
          {
            what: t('notices.when'),
            before: at === null ? t('list.none') : dateTime(at),
            after: t('notices.never'),
          },
        ],
        body: ({ reason }) => ({ id, version, reason }),
        done: () => ({ text: t('notices.withdraw_done', { title }) }),
        touches: [
          consoleKeys.list('/admin/announcement/list'),
          consoleKeys.one('/admin/announcement/detail', id),
        ],
      }}
    />
  );
}
