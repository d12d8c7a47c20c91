import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { ActButton } from '../../act/act-button';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { CreateOperator } from './create-operator';

const LIST: List<'/admin/operator/list'> = {
  path: '/admin/operator/list',
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  empty: 'operators.empty',
  filters: [],
  columns: [
    {
      id: 'name',
      header: 'operators.name',
      width: 300,
      cell: ({ name }) => name,
      csv: ({ name }) => name,
    },
    {
      id: 'followers',
      header: 'operators.followers',
      width: 120,
      align: 'end',
      cell: ({ followers }) => <Followers count={followers} />,
      csv: ({ followers }) => followers,
    },
    {
      id: 'id',
      header: 'operators.id',
      width: 300,
      cell: ({ id }) => <span className="mono">{id}</span>,
      csv: ({ id }) => id,
    },
  ],
};

/** The proxy operators that users can follow. */
export default function OperatorsPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  return (
    <ListPage
      title={t('operators.title')}
      list={LIST}
      actions={
        may('POST /admin/operator/create') ? (
          <ActButton
            offered={{
              id: 'create',
              label: t('operators.create'),
              dialog: (close) => <CreateOperator onClose={close} />,
            }}
          />
        ) : null
      }
    />
  );
}

function Followers({ count }: { count: number }) {
  const { integer } = useFormats();
  return <span className="figure">{integer(count)}</span>;
}
