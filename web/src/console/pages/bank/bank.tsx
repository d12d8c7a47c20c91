import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { LinkButton } from '@/ui/button';
import { useMay } from '../../session/use-staff';
import { columnsOf } from '../../table/columns';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Days, daysText } from './days';

export type BankStatement = components['schemas']['BankStatement'];

const { amount, code, count, moment, staff, text } = columnsOf<BankStatement>();

const LIST: List<'/admin/bank/statements'> = {
  path: '/admin/bank/statements',
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  rowPath: ({ id }) => `/bank/${id}`,
  empty: 'bank.empty',
  filters: [],
  columns: [
    text('name', 'bank.name', { width: 220 }),
    {
      id: 'days',
      header: 'bank.days',
      width: 180,
      cell: (statement) => <Days of={statement} />,
      csv: daysText,
    },
    amount('paid_in', 'bank.paid_in'),
    count('open_lines', 'bank.counts.open', { width: 90 }),
    count('waiting_lines', 'bank.counts.waiting', { width: 90 }),
    count('credited_lines', 'bank.counts.credited', { width: 90 }),
    count('aside_lines', 'bank.counts.aside', { width: 90 }),
    moment('uploaded_at', 'bank.uploaded_at', { width: 150 }),
    staff('uploaded_by', 'bank.uploaded_by'),
    count('lines', 'bank.lines', { width: 90, optional: true }),
    count('known_lines', 'bank.known_lines', { optional: true }),
    text('reference', 'bank.reference', { optional: true }),
    code('sha256', 'bank.sha256', { optional: true }),
  ],
};

/** The account statements of the platform's bank account: who has paid in. */
export default function BankPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  const upload = may('POST /admin/bank/statement') ? (
    <LinkButton to="/bank/upload">{t('bank.upload')}</LinkButton>
  ) : null;
  return (
    <ListPage title={t('bank.title')} list={LIST} actions={upload}>
      <p>{t('bank.intro')}</p>
    </ListPage>
  );
}
