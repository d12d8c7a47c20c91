import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { UserInfo } from '@/lib/api/types';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Badge } from '../../ui/badge';
import { Moment } from '../../ui/moment';
import { USER_STATES, UserState } from './user-state';

const LIST: List<'/admin/user/list'> = {
  path: '/admin/user/list',
  claims: { kind: 'user', id: ({ id }) => id },
  rowId: ({ id }) => id,
  rowName: ({ username }) => username,
  rowPath: ({ id }) => `/users/${id}`,
  empty: 'users.empty',
  filters: [
    { name: 'query', label: 'list.search', kind: 'search' },
    {
      name: 'state',
      label: 'users.state',
      kind: 'choice',
      options: USER_STATES.map((value) => ({ value, label: `users.states.${value}` })),
    },
  ],
  columns: [
    {
      id: 'username',
      header: 'users.username',
      width: 200,
      cell: ({ username }) => username,
      csv: ({ username }) => username,
    },
    {
      id: 'nickname',
      header: 'users.nickname',
      width: 160,
      cell: ({ nickname }) => nickname,
      csv: ({ nickname }) => nickname,
    },
    {
      id: 'state',
      header: 'users.state',
      width: 120,
      cell: ({ state }) => <UserState state={state} />,
      csv: ({ state }) => state,
    },
    { id: 'vip', header: 'users.vip', width: 80, cell: (user) => <Vip user={user} />, csv: vipOf },
    {
      id: 'licence',
      header: 'users.licence',
      width: 190,
      cell: ({ licenseKey }) => <span className="mono">{licenseKey}</span>,
      csv: ({ licenseKey }) => licenseKey,
    },
    {
      id: 'reference',
      header: 'users.reference',
      width: 140,
      cell: (user) => <span className="mono">{user.payment_reference}</span>,
      csv: (user) => user.payment_reference,
    },
    {
      id: 'score',
      header: 'users.credit_score',
      width: 100,
      align: 'end',
      cell: (user) => <Score user={user} />,
      csv: (user) => user.credit_score,
    },
    {
      id: 'email',
      header: 'users.email',
      width: 200,
      optional: true,
      cell: ({ email }) => email,
      csv: ({ email }) => email,
    },
    {
      id: 'phone',
      header: 'users.phone',
      width: 150,
      optional: true,
      cell: ({ phone }) => phone,
      csv: ({ phone }) => phone,
    },
    {
      id: 'created',
      header: 'users.created',
      width: 170,
      cell: (user) => <Moment at={user.created_at} />,
      csv: (user) => user.created_at,
    },
    {
      id: 'id',
      header: 'users.id',
      width: 300,
      optional: true,
      cell: ({ id }) => <span className="mono">{id}</span>,
      csv: ({ id }) => id,
    },
  ],
};

/** All users, found by name, id, licence key or phone. */
export default function UsersPage() {
  const { t } = useTranslation('console');
  return <ListPage title={t('users.title')} list={LIST} />;
}

function Vip({ user }: { user: UserInfo }) {
  const { t } = useTranslation('console');
  return user.vip ? <Badge tone="info">{t('users.vip')}</Badge> : null;
}

function vipOf({ vip }: UserInfo): string {
  return String(vip);
}

function Score({ user }: { user: UserInfo }) {
  const { integer } = useFormats();
  return <span className="figure">{integer(user.credit_score)}</span>;
}
