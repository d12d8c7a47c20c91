import { useTranslation } from 'react-i18next';
import type { Offered } from '../../../act/act-button';
import { useMay } from '../../../session/use-staff';
import type { UserDetail } from '../user';
import { EndSessionsDialog } from './end-sessions-dialog';
import { ProfileDialog } from './profile-dialog';
import { ResetPayPasswordDialog } from './reset-pay-password-dialog';
import { StateDialog } from './state-dialog';

/** What the member's role may change about a user's account. */
export function useAccountActs(user: UserDetail): Offered[] {
  const { t } = useTranslation('console');
  const may = useMay();
  const offered: Offered[] = [];
  if (may('POST /admin/user/profile'))
    offered.push({
      id: 'profile',
      label: t('users.change_standing'),
      dialog: (close) => <ProfileDialog user={user} onClose={close} />,
    });
  if (may('POST /admin/pay_password/reset') && user.has_pay_password)
    offered.push({
      id: 'pay_password',
      label: t('users.reset_pay_password'),
      dialog: (close) => <ResetPayPasswordDialog user={user} onClose={close} />,
    });
  if (may('POST /admin/user/sessions/end'))
    offered.push({
      id: 'sessions',
      label: t('users.end_sessions'),
      tone: 'danger',
      dialog: (close) => <EndSessionsDialog user={user} onClose={close} />,
    });
  if (may('POST /admin/user/state'))
    offered.push({
      id: 'state',
      label: t('users.change_state'),
      tone: 'danger',
      dialog: (close) => <StateDialog user={user} onClose={close} />,
    });
  return offered;
}
