import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { ActButton, type Offered } from '../../act/act-button';
import { RowMenu } from '../../act/row-menu';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Moment } from '../../ui/moment';
import { CreateNetwork } from './create-network';
import { EditNetwork } from './edit-network';
import { IssueKey } from './issue-key';
import { Delay, Delivery, NetworkKeys } from './network-cells';
import { SupplyState } from './supply-state';

type Network = components['schemas']['Network'];

const LIST: List<'/admin/network/list'> = {
  path: '/admin/network/list',
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  rowPath: ({ id }) => `/placements?network_id=${id}`,
  empty: 'supply.network.empty',
  filters: [],
  columns: [
    {
      id: 'name',
      header: 'supply.network.name',
      width: 200,
      cell: ({ name }) => name,
      csv: ({ name }) => name,
    },
    {
      id: 'source',
      header: 'supply.network.source',
      width: 160,
      cell: ({ source }) => <span className="mono">{source}</span>,
      csv: ({ source }) => source,
    },
    {
      id: 'state',
      header: 'supply.state',
      width: 100,
      cell: ({ state }) => <SupplyState state={state} />,
      csv: ({ state }) => state,
    },
    {
      id: 'delivery',
      header: 'supply.network.delivery',
      width: 110,
      cell: (network) => <Delivery network={network} />,
      csv: ({ simulated }) => (simulated ? 'simulated' : 'real'),
    },
    {
      id: 'delay',
      header: 'supply.network.delay',
      width: 130,
      align: 'end',
      cell: (network) => <Delay network={network} />,
      csv: (network) => network.report_delay_seconds,
    },
    {
      id: 'keys',
      header: 'supply.network.keys',
      width: 240,
      cell: (network) => <NetworkKeys network={network} />,
      csv: ({ keys }) => keys.map(({ hint }) => hint).join(' '),
    },
    {
      id: 'created',
      header: 'supply.created',
      width: 150,
      cell: (network) => <Moment at={network.created_at} />,
      csv: (network) => network.created_at,
    },
    {
      id: 'id',
      header: 'supply.id',
      width: 300,
      optional: true,
      cell: ({ id }) => <span className="mono">{id}</span>,
      csv: ({ id }) => id,
    },
  ],
};

/** The networks that show advertisements. A row leads to its placements. */
export default function NetworksPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  const acts = (network: Network) => <RowActs network={network} />;
  const mayAct = may('POST /admin/network/edit') || may('POST /admin/network/key');
  return (
    <ListPage
      title={t('supply.networks_title')}
      list={LIST}
      actions={
        may('POST /admin/network/create') ? (
          <ActButton
            offered={{
              id: 'create',
              label: t('supply.network.create'),
              dialog: (close) => <CreateNetwork onClose={close} />,
            }}
          />
        ) : null
      }
      {...(mayAct ? { rowActs: acts } : {})}
    />
  );
}

function RowActs({ network }: { network: Network }) {
  const { t } = useTranslation('console');
  const may = useMay();
  const offered: Offered[] = [];
  if (may('POST /admin/network/edit'))
    offered.push({
      id: 'edit',
      label: t('supply.network.edit'),
      dialog: (close) => <EditNetwork network={network} onClose={close} />,
    });
  if (may('POST /admin/network/key'))
    offered.push({
      id: 'key',
      label: t('supply.network.issue_key'),
      dialog: (close) => <IssueKey network={network} onClose={close} />,
    });
  return <RowMenu name={network.name} offered={offered} />;
}
