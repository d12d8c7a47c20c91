import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { RowMenu } from '../../act/row-menu';
import { useOne } from '../../api/use-one';
import { useMay } from '../../session/use-staff';
import { columnsOf, userColumn } from '../../table/columns';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Destination, destinationText } from '../../ui/destination';
import { PageHead } from '../../ui/page-head';
import { WithdrawalState } from '../../ui/withdrawal-state';
import { BatchActs } from './batch-acts';
import { BatchFacts } from './batch-facts';
import { BatchFiles } from './batch-files';
import type { PaymentBatch } from './batch-state';
import { TakeOut } from './take-out';

export type StaffWithdrawal = components['schemas']['StaffWithdrawal'];

const { amount, code, moment, staff, text } = columnsOf<StaffWithdrawal>();

const LIST: List<'/admin/withdraw/list'> = {
  path: '/admin/withdraw/list',
  keptAs: 'payment_batch',
  rowId: ({ id }) => id,
  rowName: ({ user, amount: asked }) => `${user.username ?? user.id}, ${asked}`,
  empty: 'payments.none_in',
  filters: [],
  columns: [
    moment('time', 'withdrawals.time'),
    userColumn('withdrawals.user', { width: 160 }),
    amount('amount', 'withdrawals.amount'),
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
    staff('take_out_asked_by', 'payments.take_out_asked_by', { width: 160 }),
    moment('decided_at', 'withdrawals.decided', { optional: true }),
    text('reason', 'act.reason', { optional: true }),
    code('id', 'withdrawals.id', { optional: true }),
  ],
};

/** A payment batch: what the bank is to pay, and what has become of it. */
export default function PaymentBatchPage() {
  const { t } = useTranslation('console');
  const { id = '' } = useParams();
  const batch = useOne('/admin/payment_batch/list', id);
  if (batch.data) return <Batch batch={batch.data} />;
  return (
    <>
      <PageHead title={t('payments.one_title')} />
      {batch.isPending ? (
        <SkeletonCards count={3} height="6rem" />
      ) : batch.isError ? (
        <ErrorState error={batch.error} onRetry={() => void batch.refetch()} />
      ) : (
        <p>{t('payments.not_found')}</p>
      )}
    </>
  );
}

function Batch({ batch }: { batch: PaymentBatch }) {
  const { t } = useTranslation('console');
  const { moment: momentText } = useFormats();
  const may = useMay();
  const { id } = batch;
  const list = useMemo(() => ({ ...LIST, fixed: { payment_batch_id: id } }), [id]);
  const isOpen = batch.state === 'proposed' || batch.state === 'released';
  const acts = (withdrawal: StaffWithdrawal) => <RowActs withdrawal={withdrawal} batch={batch} />;
  return (
    <ListPage
      title={t('payments.named', { time: momentText(batch.proposed_at) })}
      list={list}
      actions={<BatchActs batch={batch} />}
      {...(isOpen && may('POST /admin/payment_batch/take_out') ? { rowActs: acts } : {})}
    >
      <BatchFacts batch={batch} />
      <BatchFiles batch={batch} />
    </ListPage>
  );
}

function RowActs({ withdrawal, batch }: { withdrawal: StaffWithdrawal; batch: PaymentBatch }) {
  const { t } = useTranslation('console');
  if (withdrawal.status !== 'pending') return null;
  return (
    <RowMenu
      name={LIST.rowName(withdrawal)}
      offered={[
        {
          id: 'take_out',
          label: t(withdrawal.take_out_asked_by ? 'payments.take_out_confirm' : 'payments.take_out'),
          dialog: (close) => <TakeOut withdrawal={withdrawal} batch={batch} onClose={close} />,
        },
      ]}
    />
  );
}
