import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import type { components } from '@/lib/api/schema';
import { ActButton } from '../../act/act-button';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Moment } from '../../ui/moment';
import { CreatePlacement } from './create-placement';
import { PlacementActs } from './placement-acts';
import { Countries, Systems } from './placement-cells';
import { Prices } from './prices';
import { SupplyState } from './supply-state';
import { useNetworks } from './use-networks';

type Placement = components['schemas']['Placement'];

const LIST: List<'/admin/placement/list'> = {
  path: '/admin/placement/list',
  rowId: ({ id }) => id,
  rowName: (placement) => `${placement.network_name}, ${placement.name}`,
  empty: 'supply.placement.empty',
  filters: [{ name: 'network_id', label: 'supply.placement.network_id', kind: 'search' }],
  columns: [
    {
      id: 'name',
      header: 'supply.placement.name',
      width: 180,
      cell: ({ name }) => name,
      csv: ({ name }) => name,
    },
    {
      id: 'network',
      header: 'supply.placement.network',
      width: 150,
      cell: (placement) => (
        <Link to={`/placements?network_id=${placement.network_id}`}>{placement.network_name}</Link>
      ),
      csv: (placement) => placement.network_name,
    },
    {
      id: 'format',
      header: 'supply.placement.format',
      width: 110,
      cell: ({ format }) => <span className="mono">{format}</span>,
      csv: ({ format }) => format,
    },
    {
      id: 'state',
      header: 'supply.state',
      width: 90,
      cell: ({ state }) => <SupplyState state={state} />,
      csv: ({ state }) => state,
    },
    {
      id: 'countries',
      header: 'supply.placement.countries',
      width: 130,
      cell: ({ countries }) => <Countries countries={countries} />,
      csv: ({ countries }) => countries.join(' '),
    },
    {
      id: 'systems',
      header: 'supply.placement.systems',
      width: 120,
      cell: ({ systems }) => <Systems systems={systems} />,
      csv: ({ systems }) => systems.join(' '),
    },
    {
      id: 'prices',
      header: 'supply.placement.prices',
      width: 330,
      cell: ({ prices }) => <Prices prices={prices} />,
      csv: ({ prices }) =>
        prices
          .map(({ model, cost, revenue, valid_from, state }) =>
            [model, cost, revenue, valid_from, state].join(' '),
          )
          .join('; '),
    },
    {
      id: 'created',
      header: 'supply.created',
      width: 150,
      optional: true,
      cell: (placement) => <Moment at={placement.created_at} />,
      csv: (placement) => placement.created_at,
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

/** Where networks show advertisements, and at what price. */
export default function PlacementsPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  const [params] = useSearchParams();
  const networkId = params.get('network_id');
  const acts = (placement: Placement) => <PlacementActs placement={placement} />;
  const mayAct = may('POST /admin/placement/edit') || may('POST /admin/placement/price');
  return (
    <ListPage
      title={t('supply.placements_title')}
      list={LIST}
      actions={
        may('POST /admin/placement/create') ? (
          <ActButton
            offered={{
              id: 'create',
              label: t('supply.placement.create'),
              dialog: (close) => <CreatePlacement networkId={networkId} onClose={close} />,
            }}
          />
        ) : null
      }
      {...(mayAct ? { rowActs: acts } : {})}
    >
      {networkId ? <OfNetwork id={networkId} /> : null}
    </ListPage>
  );
}

/** Whose placements are shown. */
function OfNetwork({ id }: { id: string }) {
  const { t } = useTranslation('console');
  const networks = useNetworks();
  const network = networks.data?.find((one) => one.id === id);
  if (!network) return null;
  return (
    <p>
      {t('supply.placement.of_network', { name: network.name })}{' '}
      <Link to="/placements">{t('supply.placement.all')}</Link>
    </p>
  );
}
