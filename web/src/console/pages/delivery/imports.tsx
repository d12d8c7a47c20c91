import { useTranslation } from 'react-i18next';
import { LinkButton } from '@/ui/button';
import type { Offered } from '../../act/act-button';
import { RowMenu } from '../../act/row-menu';
import { useMay, useStaff } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { DecideImport } from './decide-import';
import { type DeliveryImport, IMPORT_STATES } from './decisions';
import { IMPORT_COLUMNS } from './import-columns';
import { ImportDetails } from './import-details';

const LIST: List<'/admin/delivery/imports'> = {
  path: '/admin/delivery/imports',
  claims: { kind: 'import', id: (row) => row.import_id },
  rowId: (row) => row.import_id,
  rowName: ({ source, at }) => `${source}, ${at}`,
  empty: 'delivery.no_imports',
  filters: [
    {
      name: 'state',
      label: 'delivery.state',
      kind: 'choice',
      options: IMPORT_STATES.map((value) => ({ value, label: `delivery.states.${value}` })),
    },
  ],
  columns: IMPORT_COLUMNS,
};

/** Files of reports: those to decide, and what became of the others. */
export default function ImportsPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  return (
    <ListPage
      title={t('delivery.imports_title')}
      list={LIST}
      actions={
        may('POST /admin/delivery/import') ? (
          <LinkButton to="/imports/new">{t('delivery.import')}</LinkButton>
        ) : null
      }
      rowActs={(row) => <RowActs row={row} />}
    />
  );
}

function RowActs({ row }: { row: DeliveryImport }) {
  const { t } = useTranslation('console');
  const may = useMay();
  const { id } = useStaff();
  const name = LIST.rowName(row);
  // Who proposed a file does not decide on it.
  const isOpen = row.state === 'proposed' && row.by !== id && may('POST /admin/delivery/import/decide');
  const offered: (Offered | false)[] = [
    { id: 'see', label: t('delivery.see'), dialog: (close) => <ImportDetails row={row} onClose={close} /> },
    isOpen && {
      id: 'released',
      label: t('delivery.release'),
      dialog: (close) => <DecideImport row={row} decision="released" onClose={close} />,
    },
    isOpen && {
      id: 'rejected',
      label: t('delivery.reject'),
      tone: 'danger',
      dialog: (close) => <DecideImport row={row} decision="rejected" onClose={close} />,
    },
  ];
  return <RowMenu name={name} offered={offered.filter((act) => act !== false)} />;
}
