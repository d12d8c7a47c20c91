import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { RowMenu } from '../../act/row-menu';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Amount } from '../../ui/amount';
import { Badge, type Tone } from '../../ui/badge';
import { Moment } from '../../ui/moment';
import { UserLink } from '../../ui/user-link';
import { DecideWithdrawal } from './decide-withdrawal';
import { Destination, destinationText } from './destination';

export type StaffWithdrawal = components['schemas']['StaffWithdrawal'];

const STATES = ['pending', 'paid', 'rejected', 'cancelled'] as const;
const TONES = {
  pending: 'waiting',
  paid: 'good',
  rejected: 'bad',
  cancelled: 'neutral',
} as const satisfies Record<StaffWithdrawal['status'], Tone>;

const LIST: List<'/admin/withdraw/list'> = {
  path: '/admin/withdraw/list',
  claims: { kind: 'withdrawal', id: ({ id }) => id },
  rowId: ({ id }) => id,
  rowName: ({ user, amount }) => `${user.username ?? user.id}, ${amount}`,
  empty: 'withdrawals.empty',
  filters: [
    { name: 'user_id', label: 'withdrawals.user_id', kind: 'search' },
    {
      name: 'status',
      label: 'withdrawals.status',
      kind: 'choice',
      initial: 'pending',
      options: STATES.map((value) => ({ value, label: `withdrawals.states.${value}` })),
    },
  ],
  columns: [
    {
      id: 'time',
      header: 'withdrawals.time',
      width: 150,
      cell: ({ time }) => <Moment at={time} />,
      csv: ({ time }) => time,
    },
    {
      id: 'user',
      header: 'withdrawals.user',
      width: 180,
      cell: ({ user }) => <UserLink id={user.id} name={user.username} />,
      csv: ({ user }) => user.username ?? user.id,
    },
    {
      id: 'amount',
      header: 'withdrawals.amount',
      width: 130,
      align: 'end',
      cell: ({ amount }) => <Amount value={amount} />,
      csv: ({ amount }) => amount,
    },
    {
      id: 'fee',
      header: 'withdrawals.fee',
      width: 100,
      align: 'end',
      cell: ({ fee }) => <Amount value={fee} />,
      csv: ({ fee }) => fee,
    },
    {
      id: 'destination',
      header: 'withdrawals.destination',
      width: 260,
      cell: ({ destination }) => <Destination destination={destination} />,
      csv: ({ destination }) => destinationText(destination),
    },
    {
      id: 'status',
      header: 'withdrawals.status',
      width: 110,
      cell: ({ status }) => <Status status={status} />,
      csv: ({ status }) => status,
    },
    {
      id: 'decided',
      header: 'withdrawals.decided',
      width: 150,
      cell: (withdrawal) => <Moment at={withdrawal.decided_at} />,
      csv: (withdrawal) => withdrawal.decided_at,
    },
    {
      id: 'reason',
      header: 'act.reason',
      width: 200,
      optional: true,
      cell: ({ reason }) => reason,
      csv: ({ reason }) => reason,
    },
    {
      id: 'id',
      header: 'withdrawals.id',
      width: 300,
      optional: true,
      cell: ({ id }) => <span className="mono">{id}</span>,
      csv: ({ id }) => id,
    },
  ],
};

/** The withdrawals to decide, and all others. */
export default function WithdrawalsPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  const acts = (withdrawal: StaffWithdrawal) => <RowActs withdrawal={withdrawal} />;
  return (
    <ListPage
      title={t('withdrawals.title')}
      list={LIST}
      {...(may('POST /admin/withdraw/decide') ? { rowActs: acts } : {})}
    />
  );
}

function Status({ status }: { status: StaffWithdrawal['status'] }) {
  const { t } = useTranslation('console');
  return <Badge tone={TONES[status]}>{t(`withdrawals.states.${status}`)}</Badge>;
}

function RowActs({ withdrawal }: { withdrawal: StaffWithdrawal }) {
  const { t } = useTranslation('console');
  if (withdrawal.status !== 'pending') return null;
  const name = LIST.rowName(withdrawal);
  const decide = (decision: 'paid' | 'rejected') => (close: () => void) => (
    <DecideWithdrawal withdrawal={withdrawal} decision={decision} onClose={close} />
  );
  return (
    <RowMenu
      name={name}
      offered={[
        { id: 'paid', label: t('withdrawals.mark_paid'), dialog: decide('paid') },
        { id: 'rejected', label: t('withdrawals.reject'), tone: 'danger', dialog: decide('rejected') },
      ]}
    />
  );
}
