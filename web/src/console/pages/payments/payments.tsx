import { useTranslation } from 'react-i18next';
import { columnsOf } from '../../table/columns';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { BATCH_STATES, BatchState, type PaymentBatch } from './batch-state';

const { amount, code, count, moment, staff, text } = columnsOf<PaymentBatch>();

const LIST: List<'/admin/payment_batch/list'> = {
  path: '/admin/payment_batch/list',
  rowId: ({ id }) => id,
  rowName: ({ proposed_at: at, payout }) => `${at}, ${payout}`,
  rowPath: ({ id }) => `/payments/${id}`,
  empty: 'payments.empty',
  filters: [
    {
      name: 'state',
      label: 'payments.state',
      kind: 'choice',
      options: BATCH_STATES.map((value) => ({ value, label: `payments.states.${value}` })),
    },
  ],
  columns: [
    moment('proposed_at', 'payments.proposed_at', { width: 150 }),
    {
      id: 'method',
      header: 'payments.method',
      width: 140,
      cell: (batch) => <Method batch={batch} />,
      csv: ({ method }) => method,
    },
    {
      id: 'state',
      header: 'payments.state',
      width: 120,
      cell: ({ state }) => <BatchState state={state} />,
      csv: ({ state }) => state,
    },
    count('count', 'payments.count'),
    count('paid_count', 'payments.paid_count'),
    amount('payout', 'payments.payout'),
    staff('proposed_by', 'payments.proposed_by'),
    staff('decided_by', 'payments.decided_by'),
    moment('decided_at', 'payments.decided_at'),
    text('reason', 'act.reason'),
    code('id', 'payments.id', { optional: true }),
  ],
};

/** Withdrawals that the bank pays with one file. */
export default function PaymentsPage() {
  const { t } = useTranslation('console');
  return (
    <ListPage title={t('payments.title')} list={LIST}>
      <p>{t('payments.intro')}</p>
    </ListPage>
  );
}

function Method({ batch }: { batch: PaymentBatch }) {
  const { t } = useTranslation('console');
  return t(`payments.methods.${batch.method}`);
}
