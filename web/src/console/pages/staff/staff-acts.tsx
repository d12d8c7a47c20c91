import { useTranslation } from 'react-i18next';
import type { Offered } from '../../act/act-button';
import { RowMenu } from '../../act/row-menu';
import { useMay, useStaff } from '../../session/use-staff';
import { ChangeRole } from './change-role';
import { ChangeState } from './change-state';
import { ConfirmStaff } from './confirm-staff';
import { EndSessions } from './end-sessions';
import { OneTimePassword } from './one-time-password';
import { ResetFactor } from './reset-factor';
import { isUnconfirmed, type ListedStaff } from './staff-parts';

/** What can be done for a member. Most of it the server refuses to the member, so it is offered to the others only. */
export function StaffActs({ member }: { member: ListedStaff }) {
  const offered = useOffered(member);
  return <RowMenu name={member.username} offered={offered} />;
}

function useOffered(member: ListedStaff): Offered[] {
  const { t } = useTranslation('console');
  const may = useMay();
  const isOther = useStaff().id !== member.id;
  const isActive = member.state === 'active';
  const all: { isOffered: boolean; act: Offered }[] = [
    {
      isOffered: isOther && isUnconfirmed(member) && may('POST /admin/staff/confirm'),
      act: {
        id: 'confirm',
        label: t('staff.confirm.offer'),
        dialog: (close) => <ConfirmStaff member={member} onClose={close} />,
      },
    },
    {
      isOffered: isOther && may('POST /admin/staff/role'),
      act: {
        id: 'role',
        label: t('staff.change_role.offer'),
        dialog: (close) => <ChangeRole member={member} onClose={close} />,
      },
    },
    {
      isOffered: isOther && may('POST /admin/staff/password'),
      act: {
        id: 'password',
        label: t('staff.password.offer'),
        dialog: (close) => <OneTimePassword member={member} onClose={close} />,
      },
    },
    {
      isOffered: may('POST /admin/staff/sessions/end'),
      act: {
        id: 'end',
        label: t('staff.end.offer'),
        dialog: (close) => <EndSessions member={member} onClose={close} />,
      },
    },
    {
      isOffered: isOther && member.has_second_factor && may('POST /admin/second_factor/reset'),
      act: {
        id: 'reset',
        label: t('staff.reset.offer'),
        tone: 'danger',
        dialog: (close) => <ResetFactor member={member} onClose={close} />,
      },
    },
    {
      isOffered: isOther && may('POST /admin/staff/state'),
      act: {
        id: 'state',
        label: t(isActive ? 'staff.disable.offer' : 'staff.activate.offer'),
        ...(isActive ? { tone: 'danger' as const } : {}),
        dialog: (close) => <ChangeState member={member} onClose={close} />,
      },
    },
  ];
  return all.filter(({ isOffered }) => isOffered).map(({ act }) => act);
}
