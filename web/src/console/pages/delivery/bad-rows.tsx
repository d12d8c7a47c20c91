import { useTranslation } from 'react-i18next';
import stack from '@/ui/stack.module.css';
import { PlainTable } from '../../ui/plain-table';
import type { NotableRow, RejectedRow } from './decisions';
import { useNotable } from './notable';

/** Lines drawn of a file; the rest only counts. */
const SHOWN = 200;

type BadProps = { label: string; rows: readonly RejectedRow[]; count: number };

/** Lines of a file that are not taken, with the reasons. */
export function BadRows({ label, rows, count }: BadProps) {
  const { t } = useTranslation('console');
  if (count === 0) return null;
  return (
    <section className={stack.gap2}>
      <h3>{label}</h3>
      <PlainTable
        label={label}
        rows={rows.slice(0, SHOWN)}
        rowKey={({ line }, index) => `${line} ${index}`}
        columns={[
          { id: 'line', header: t('delivery.line'), cell: ({ line }) => line },
          { id: 'reason', header: t('delivery.why'), cell: ({ reason }) => reason },
        ]}
      />
      {count > Math.min(rows.length, SHOWN) ? (
        <p>{t('delivery.more_lines', { shown: Math.min(rows.length, SHOWN), count })}</p>
      ) : null}
    </section>
  );
}

/** What stands out in a file, by plan. */
export function NotableRows({ rows }: { rows: readonly NotableRow[] }) {
  const { t } = useTranslation('console');
  const textOf = useNotable();
  if (rows.length === 0) return null;
  return (
    <section className={stack.gap2}>
      <h3>{t('delivery.notable')}</h3>
      <PlainTable
        label={t('delivery.notable')}
        rows={rows}
        rowKey={(row, index) => `${row.plan_number} ${row.rule} ${index}`}
        columns={[
          {
            id: 'plan',
            header: t('delivery.plan_number'),
            cell: (row) => (
              <span className="mono">
                {row.plan_number === '' ? t('delivery.whole_file') : row.plan_number}
              </span>
            ),
          },
          { id: 'rule', header: t('delivery.rule'), cell: ({ rule }) => textOf(rule) },
          { id: 'value', header: t('delivery.value'), align: 'end', cell: ({ value }) => value },
          { id: 'usual', header: t('delivery.usual'), align: 'end', cell: ({ usual }) => usual },
        ]}
      />
    </section>
  );
}
