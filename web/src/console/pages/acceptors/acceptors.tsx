import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { ActButton } from '../../act/act-button';
import { RowMenu } from '../../act/row-menu';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Count } from '../../ui/count';
import { Kind } from './cells';
import { CreateAcceptor } from './create-acceptor';
import { IssueCode } from './issue-code';

type Acceptor = components['schemas']['Acceptor'];

const LIST: List<'/admin/acceptor/list'> = {
  path: '/admin/acceptor/list',
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  empty: 'acceptors.empty',
  filters: [],
  columns: [
    {
      id: 'name',
      header: 'acceptors.name',
      width: 260,
      cell: ({ name }) => name,
      csv: ({ name }) => name,
    },
    {
      id: 'kind',
      header: 'acceptors.kind',
      width: 120,
      cell: ({ kind }) => <Kind kind={kind} />,
      csv: ({ kind }) => kind,
    },
    {
      id: 'rating',
      header: 'acceptors.rating',
      width: 90,
      align: 'end',
      cell: ({ rating }) => <span className="figure">{rating}</span>,
      csv: ({ rating }) => rating,
    },
    {
      id: 'completed',
      header: 'acceptors.completed',
      width: 150,
      align: 'end',
      cell: (acceptor) => <Count value={acceptor.completed_orders} />,
      csv: (acceptor) => acceptor.completed_orders,
    },
    {
      id: 'id',
      header: 'acceptors.id',
      width: 300,
      cell: ({ id }) => <span className="mono">{id}</span>,
      csv: ({ id }) => id,
    },
  ],
};

/** Who exchanges wallet money, and the codes of their offers. */
export default function AcceptorsPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  const acts = (acceptor: Acceptor) => <RowActs acceptor={acceptor} />;
  return (
    <ListPage
      title={t('acceptors.title')}
      list={LIST}
      actions={
        may('POST /admin/acceptor/create') ? (
          <ActButton
            offered={{
              id: 'create',
              label: t('acceptors.create'),
              dialog: (close) => <CreateAcceptor onClose={close} />,
            }}
          />
        ) : null
      }
      {...(may('POST /admin/acceptance_code/create') ? { rowActs: acts } : {})}
    />
  );
}

function RowActs({ acceptor }: { acceptor: Acceptor }) {
  const { t } = useTranslation('console');
  return (
    <RowMenu
      name={acceptor.name}
      offered={[
        {
          id: 'code',
          label: t('acceptors.code.issue_of'),
          dialog: (close) => <IssueCode acceptor={acceptor} onClose={close} />,
        },
      ]}
    />
  );
}
