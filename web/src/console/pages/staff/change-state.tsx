import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import type { ListedStaff } from './staff-parts';

/** Disables an active account, or activates a disabled one again. */
export function ChangeState({ member, onClose }: { member: ListedStaff; onClose: () => void }) {
  const { t } = useTranslation('console');
  const name = member.username;
  const isActive = member.state === 'active';
  const act = isActive ? 'disable' : 'activate';
  const next = isActive ? 'disabled' : 'active';
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/staff/state',
        title: t(`staff.${act}.title`, { name }),
        submit: t(`staff.${act}.submit`),
        ...(isActive ? { tone: 'danger' as const } : {}),
        intro: <p>{t(`staff.${act}.intro`)}</p>,
        schema: z.object({ reason: text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [
          {
            what: t('staff.state'),
            before: t(`staff.states.${member.state}`),
            after: t(`staff.states.${next}`),
          },
          ...(isActive ? [{ what: t('staff.sessions'), before: String(member.sessions), after: '0' }] : []),
        ],
        body: ({ reason }) => ({ staff_id: member.id, state: next, reason }),
        done: () => ({
          text: t(`staff.${act}.done`, { name }),
          links: [{ label: t('act.see_audit'), to: '/audit?action=auth.set_staff_state' }],
        }),
        touches: [consoleKeys.list('/admin/staff/list')],
      }}
    />
  );
}
