import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { optionalText } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { endStaffSession } from '../../session/store';
import { useStaff } from '../../session/use-staff';
import type { ListedStaff } from './staff-parts';

/** Ends every session of a member. One's own are among those that a member may end. */
export function EndSessions({ member, onClose }: { member: ListedStaff; onClose: () => void }) {
  const { t } = useTranslation('console');
  const name = member.username;
  const isSelf = useStaff().id === member.id;
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/staff/sessions/end',
        title: t('staff.end.title', { name }),
        submit: t('staff.end.submit'),
        intro: <p>{t(isSelf ? 'staff.end.intro_self' : 'staff.end.intro')}</p>,
        schema: z.object({ reason: optionalText(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput optional />,
        changes: () => [{ what: t('staff.sessions'), before: String(member.sessions), after: '0' }],
        body: ({ reason }) => ({ staff_id: member.id, ...(reason === '' ? {} : { reason }) }),
        done: () => {
          if (isSelf) endStaffSession('expired');
          return { text: t('staff.end.done', { name }) };
        },
        touches: [consoleKeys.list('/admin/staff/list')],
      }}
    />
  );
}
