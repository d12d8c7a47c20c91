import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { ActButton, type Offered } from '../../act/act-button';
import { RowMenu } from '../../act/row-menu';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Moment } from '../../ui/moment';
import { AddKey } from './add-key';
import { CreateHost } from './create-host';
import { Keys, validKeysOf } from './keys';
import { RevokeKey } from './revoke-key';

type Host = components['schemas']['Host'];

const LIST: List<'/admin/host/list'> = {
  path: '/admin/host/list',
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  empty: 'hosts.empty',
  filters: [],
  columns: [
    {
      id: 'name',
      header: 'hosts.name',
      width: 200,
      cell: ({ name }) => name,
      csv: ({ name }) => name,
    },
    {
      id: 'keys',
      header: 'hosts.keys',
      width: 460,
      cell: ({ keys }) => <Keys keys={keys} />,
      csv: ({ keys }) =>
        keys.map(({ kid, revoked_at }) => (revoked_at ? `${kid} (${revoked_at})` : kid)).join(' '),
    },
    {
      id: 'created',
      header: 'hosts.created',
      width: 150,
      cell: (host) => <Moment at={host.created_at} />,
      csv: (host) => host.created_at,
    },
    {
      id: 'id',
      header: 'hosts.id',
      width: 300,
      optional: true,
      cell: ({ id }) => <span className="mono">{id}</span>,
      csv: ({ id }) => id,
    },
  ],
};

/** Native apps that vouch for their users, and the keys they sign with. */
export default function HostsPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  return (
    <ListPage
      title={t('hosts.title')}
      list={LIST}
      actions={
        may('POST /admin/host/create') ? (
          <ActButton
            offered={{
              id: 'create',
              label: t('hosts.create'),
              dialog: (close) => <CreateHost onClose={close} />,
            }}
          />
        ) : null
      }
      rowActs={(host) => <RowActs host={host} />}
    />
  );
}

function RowActs({ host }: { host: Host }) {
  const { t } = useTranslation('console');
  const may = useMay();
  const offered: Offered[] = [];
  if (may('POST /admin/host/key/add'))
    offered.push({
      id: 'add',
      label: t('hosts.add_key'),
      dialog: (close) => <AddKey host={host} onClose={close} />,
    });
  if (may('POST /admin/host/key/revoke') && validKeysOf(host).length > 0)
    offered.push({
      id: 'revoke',
      label: t('hosts.revoke'),
      tone: 'danger',
      dialog: (close) => <RevokeKey host={host} onClose={close} />,
    });
  return <RowMenu name={host.name} offered={offered} />;
}
