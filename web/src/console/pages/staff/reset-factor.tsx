import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { Factor, type ListedStaff } from './staff-parts';

/** Removes the second factor of another member. */
export function ResetFactor({ member, onClose }: { member: ListedStaff; onClose: () => void }) {
  const { t } = useTranslation('console');
  const name = member.username;
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/second_factor/reset',
        title: t('staff.reset.title', { name }),
        submit: t('staff.reset.submit'),
        tone: 'danger',
        intro: <p>{t('staff.reset.intro')}</p>,
        schema: z.object({ reason: text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [
          { what: t('staff.factor'), before: <Factor member={member} />, after: t('staff.factor_off') },
          { what: t('staff.sessions'), before: String(member.sessions), after: '0' },
        ],
        body: ({ reason }) => ({ staff_id: member.id, reason }),
        done: () => ({
          text: t('staff.reset.done', { name }),
          links: [{ label: t('act.see_audit'), to: '/audit?action=auth.reset_second_factor' }],
        }),
        touches: [consoleKeys.list('/admin/staff/list')],
      }}
    />
  );
}
