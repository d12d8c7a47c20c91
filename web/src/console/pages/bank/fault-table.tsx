import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { PlainTable } from '../../ui/plain-table';
import { FIELDS } from './mapping';

type Fault = components['schemas']['BankFileFault'];

/** What the faults of a CAMT.053 file name besides the columns of a CSV file. */
const ELEMENTS = ['direction', 'sum', 'mapping'] as const;

export function FaultTable({ faults }: { faults: readonly Fault[] }) {
  const { t } = useTranslation('console');
  const fieldText = (field: string | null) => {
    const known = [...FIELDS, ...ELEMENTS].find((name) => name === field);
    if (known) return t(`bank.fields.${known}`);
    return field ?? t('bank.whole_file');
  };
  return (
    <PlainTable
      label={t('bank.faults_title')}
      rows={faults}
      rowKey={({ line, field }, index) => `${line} ${field} ${index}`}
      columns={[
        {
          id: 'line',
          header: t('bank.line'),
          cell: ({ line }) => (line === 0 ? t('bank.whole_file') : line),
        },
        { id: 'field', header: t('bank.field'), cell: ({ field }) => fieldText(field) },
        { id: 'problem', header: t('bank.problem'), cell: ({ problem }) => t(`bank.problems.${problem}`) },
        { id: 'value', header: t('bank.value'), cell: ({ value }) => value || t('list.none') },
      ]}
    />
  );
}
