import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { CopyableCode } from '@/ui/copyable-code';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import type { ListedStaff } from './staff-parts';

/** Replaces the password of another member by one that holds for the next login. */
export function OneTimePassword({ member, onClose }: { member: ListedStaff; onClose: () => void }) {
  const { t } = useTranslation('console');
  const name = member.username;
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/staff/password',
        title: t('staff.password.title', { name }),
        submit: t('staff.password.submit'),
        intro: <p>{t('staff.password.intro')}</p>,
        schema: z.object({ reason: text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [
          {
            what: t('staff.password.what'),
            before: t('staff.password.before'),
            after: t('staff.password.after'),
          },
          { what: t('staff.sessions'), before: String(member.sessions), after: '0' },
        ],
        body: ({ reason }) => ({ staff_id: member.id, reason }),
        done: (answer) => ({
          text: t('staff.password.done', { name }),
          result: (
            <CopyableCode text={answer.one_time_password ?? ''} label={t('staff.password.copy', { name })} />
          ),
        }),
        touches: [consoleKeys.list('/admin/staff/list')],
      }}
    />
  );
}
