import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { ChoiceInput, REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { type ListedStaff, ROLES } from './staff-parts';

export function ChangeRole({ member, onClose }: { member: ListedStaff; onClose: () => void }) {
  const { t } = useTranslation('console');
  const name = member.username;
  const others = ROLES.filter((role) => role !== member.role);
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/staff/role',
        title: t('staff.change_role.title', { name }),
        submit: t('staff.change_role.submit'),
        intro: <p>{t('staff.change_role.intro')}</p>,
        schema: z.object({ role: z.enum(ROLES), reason: text(REASON_LIMIT) }),
        initial: { role: others[0] ?? member.role, reason: '' },
        fields: (
          <>
            <ChoiceInput
              name="role"
              label={t('staff.role')}
              options={others.map((role) => ({
                value: role,
                label: `${t(`staff.roles.${role}`)}: ${t(`staff.duties.${role}`)}`,
              }))}
            />
            <ReasonInput />
          </>
        ),
        changes: ({ role }) => [
          {
            what: t('staff.role'),
            before: t(`staff.roles.${member.role}`),
            after: t(`staff.roles.${role}`),
          },
          { what: t('staff.sessions'), before: String(member.sessions), after: '0' },
        ],
        body: ({ role, reason }) => ({ staff_id: member.id, role, reason }),
        done: (_answer, { role }) => ({
          text: t('staff.change_role.done', { name, role: t(`staff.roles.${role}`) }),
          links: [{ label: t('act.see_audit'), to: '/audit?action=auth.set_staff_role' }],
        }),
        touches: [consoleKeys.list('/admin/staff/list')],
      }}
    />
  );
}
