import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { components } from '@/lib/api/schema';
import { ActButton } from '../../act/act-button';
import { RowMenu } from '../../act/row-menu';
import { useMay } from '../../session/use-staff';
import { columnsOf, userColumn } from '../../table/columns';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import type { Ticks } from '../../table/ticks';
import { Destination, destinationText } from '../../ui/destination';
import { WithdrawalState } from '../../ui/withdrawal-state';
import { MOST_WITHDRAWALS } from './batch-sums';
import { DecideWithdrawal } from './decide-withdrawal';
import { ProposeBatch } from './propose-batch';

export type StaffWithdrawal = components['schemas']['StaffWithdrawal'];

const STATES = ['pending', 'paid', 'rejected', 'cancelled'] as const;

const { amount, code, moment, text } = columnsOf<StaffWithdrawal>();

const LIST: List<'/admin/withdraw/list'> = {
  path: '/admin/withdraw/list',
  claims: { kind: 'withdrawal', id: ({ id }) => id },
  rowId: ({ id }) => id,
  rowName: ({ user, amount: asked }) => `${user.username ?? user.id}, ${asked}`,
  empty: 'withdrawals.empty',
  filters: [
    { name: 'user_id', label: 'withdrawals.user_id', kind: 'search' },
    { name: 'id', label: 'withdrawals.id', kind: 'text', alone: true },
    {
      name: 'status',
      label: 'withdrawals.status',
      kind: 'choice',
      initial: 'pending',
      options: STATES.map((value) => ({ value, label: `withdrawals.states.${value}` })),
    },
  ],
  columns: [
    moment('time', 'withdrawals.time', { width: 150 }),
    userColumn('withdrawals.user'),
    amount('amount', 'withdrawals.amount', { width: 130 }),
    amount('fee', 'withdrawals.fee', { width: 100 }),
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
      cell: ({ status }) => <WithdrawalState status={status} />,
      csv: ({ status }) => status,
    },
    {
      id: 'batch',
      header: 'withdrawals.batch',
      width: 120,
      cell: (withdrawal) => <Batch id={withdrawal.payment_batch_id} />,
      csv: (withdrawal) => withdrawal.payment_batch_id,
    },
    moment('decided_at', 'withdrawals.decided', { width: 150 }),
    text('reason', 'act.reason', { optional: true }),
    code('id', 'withdrawals.id', { optional: true }),
  ],
};

const TICKS: Ticks<StaffWithdrawal> = {
  may: waits,
  goTogether: ({ method }, first) => method === first.method,
  most: MOST_WITHDRAWALS,
  acts: (withdrawals) => <PayInBatch withdrawals={withdrawals} />,
};

/** The withdrawals to decide, and all others. */
export default function WithdrawalsPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  return (
    <ListPage
      title={t('withdrawals.title')}
      list={LIST}
      {...(may('POST /admin/withdraw/decide') ? { rowActs: actsOf } : {})}
      {...(may('POST /admin/payment_batch/propose') ? { ticks: TICKS } : {})}
    />
  );
}

/** Whether it is decided by itself: not where a payment batch decides, since the bank may have the order. */
function waits({ status, payment_batch_id: batch }: StaffWithdrawal): boolean {
  return status === 'pending' && batch === null;
}

function actsOf(withdrawal: StaffWithdrawal) {
  return <RowActs withdrawal={withdrawal} />;
}

function Batch({ id }: { id: string | null }) {
  const { t } = useTranslation('console');
  return id === null ? null : <Link to={`/payments/${id}`}>{t('withdrawals.in_batch')}</Link>;
}

function PayInBatch({ withdrawals }: { withdrawals: readonly StaffWithdrawal[] }) {
  const { t } = useTranslation('console');
  return (
    <ActButton
      offered={{
        id: 'batch',
        label: t('withdrawals.pay_in_batch'),
        dialog: (close) => <ProposeBatch withdrawals={withdrawals} onClose={close} />,
      }}
    />
  );
}

function RowActs({ withdrawal }: { withdrawal: StaffWithdrawal }) {
  const { t } = useTranslation('console');
  if (!waits(withdrawal)) return null;
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
