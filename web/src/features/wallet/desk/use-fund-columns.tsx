import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { planPathOf } from '@/domain/flow/plan';
import { PlanName } from '@/domain/flow/plan-name';
import { wordOf } from '@/domain/flow/words';
import { useFormats } from '@/i18n/format';
import type { FlowEntry, FlowTotals } from '@/lib/api/types';
import { Money } from '@/ui/money';
import type { Column } from '@/ui/table/data-table';
import { type CsvColumn, csvTime } from '@/ui/table/export';
import styles from './use-fund-columns.module.css';

type FundColumn = Column<FlowEntry> & { file: readonly CsvColumn<FlowEntry>[] };

/** The columns of the movements. `onOpen` shows the details of one. */
export function useFundColumns(
  totals: FlowTotals | null | undefined,
  onOpen: (entry: FlowEntry) => void,
): FundColumn[] {
  const { t } = useTranslation();
  const { dateTime, signedMoney } = useFormats();
  return [
    {
      key: 'time',
      label: t('flow.time'),
      cell: (entry) => (
        <button
          type="button"
          className={styles.open}
          aria-haspopup="dialog"
          aria-label={t('flow.open_named', {
            type: t(wordOf(entry)),
            amount: signedMoney(entry.amount),
            time: dateTime(entry.time),
          })}
          onClick={() => onOpen(entry)}
        >
          <time dateTime={entry.time}>{dateTime(entry.time)}</time>
        </button>
      ),
      total: t('desk.total'),
      file: [{ label: t('flow.time'), csv: ({ time }) => csvTime(time) }],
    },
    {
      key: 'type',
      label: t('funds.type'),
      cell: (entry) => <span className={styles.type}>{t(wordOf(entry))}</span>,
      file: [{ label: t('funds.type'), csv: (entry) => t(wordOf(entry)) }],
    },
    {
      key: 'plan',
      label: t('desk.belongs_to'),
      cell: (entry) => <BelongsTo entry={entry} />,
      file: [
        { label: t('desk.number'), csv: ({ plan }) => plan?.plan_number ?? null },
        { label: t('desk.product'), csv: ({ plan }) => plan?.product ?? null },
        { label: t('flow.remark'), csv: ({ remark }) => remark },
      ],
    },
    {
      key: 'amount',
      label: t('desk.amount'),
      end: true,
      cell: ({ amount }) => <Money value={amount} signed="movement" />,
      total: totals ? <Money value={totals.net} signed="movement" /> : null,
      file: [{ label: t('desk.amount'), csv: ({ amount }) => amount }],
    },
    {
      key: 'account',
      label: t('flow.changed_account'),
      cell: ({ account }) => t(`flow.account.${account}`),
      file: [{ label: t('flow.changed_account'), csv: ({ account }) => t(`flow.account.${account}`) }],
    },
    {
      key: 'balance_after',
      label: t('flow.balance_after'),
      end: true,
      cell: ({ balance_after }) => <Money value={balance_after} />,
      file: [{ label: t('flow.balance_after'), csv: ({ balance_after }) => balance_after }],
    },
  ];
}

/** The plan of a movement, and what staff remarked. */
function BelongsTo({ entry }: { entry: FlowEntry }) {
  const { t } = useTranslation();
  const path = planPathOf(entry);
  const remark = entry.remark !== entry.plan?.plan_number ? entry.remark : null;
  if (!path) return remark || <span className={styles.none}>{t('flow.no_remark')}</span>;
  return (
    <>
      <Link className={styles.link} to={path}>
        <PlanName plan={entry.plan} />
      </Link>
      {remark ? <span className={styles.remark}>{remark}</span> : null}
    </>
  );
}
