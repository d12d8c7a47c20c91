import { useTranslation } from 'react-i18next';
import { useMay } from '../../session/use-staff';
import { Amount } from '../../ui/amount';
import { Code } from '../../ui/code';
import { Moment } from '../../ui/moment';
import { Panel } from '../../ui/panel';
import { useUserRows } from './use-user-rows';
import { UserRows } from './user-rows';

/** What was done to a user's account, as the user sees it; nothing for roles that may not read it. */
export function UserSecurityLog({ userId }: { userId: string }) {
  const may = useMay();
  return may('GET /admin/user/security_log') ? <SecurityLog userId={userId} /> : null;
}

function SecurityLog({ userId }: { userId: string }) {
  const { t } = useTranslation('console');
  const rows = useUserRows('/admin/user/security_log', { user_id: userId });
  return (
    <Panel title={t('users.security_log')}>
      <UserRows
        label={t('users.security_log')}
        rows={rows}
        rowKey={({ id }) => id}
        empty={t('users.no_security_log')}
        columns={[
          { id: 'action', header: t('users.log_action'), cell: ({ action }) => <Code text={action} /> },
          { id: 'time', header: t('users.log_time'), cell: ({ time }) => <Moment at={time} /> },
          { id: 'by', header: t('users.log_by'), cell: ({ by }) => t(`users.actors.${by}`) },
          {
            id: 'amount',
            header: t('users.log_amount'),
            align: 'end',
            cell: ({ amount }) => (amount === null ? t('list.none') : <Amount value={amount} />),
          },
          { id: 'reason', header: t('act.reason'), cell: ({ reason }) => reason ?? t('list.none') },
        ]}
      />
    </Panel>
  );
}
