import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { ActButton } from '../../act/act-button';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Moment } from '../../ui/moment';
import { CreateStaff } from './create-staff';
import { StaffActs } from './staff-acts';
import {
  Confirmer,
  Factor,
  LastLogin,
  type ListedStaff,
  Maker,
  OneTime,
  RoleName,
  StaffIdentity,
  StaffState,
} from './staff-parts';

const LIST: List<'/admin/staff/list'> = {
  path: '/admin/staff/list',
  rowId: ({ id }) => id,
  rowName: ({ username }) => username,
  empty: 'staff.empty',
  filters: [],
  columns: [
    {
      id: 'username',
      header: 'staff.username',
      width: 170,
      cell: (member) => <StaffIdentity member={member} />,
      csv: ({ username }) => username,
    },
    {
      id: 'role',
      header: 'staff.role',
      width: 100,
      cell: ({ role }) => <RoleName role={role} />,
      csv: ({ role }) => role,
    },
    {
      id: 'state',
      header: 'staff.state',
      width: 100,
      cell: ({ state }) => <StaffState state={state} />,
      csv: ({ state }) => state,
    },
    {
      id: 'factor',
      header: 'staff.factor',
      width: 180,
      cell: (member) => <Factor member={member} />,
      csv: (member) => String(member.has_second_factor),
    },
    {
      id: 'one_time',
      header: 'staff.one_time',
      width: 140,
      cell: (member) => <OneTime member={member} />,
      csv: (member) => String(member.must_change_password),
    },
    {
      id: 'sessions',
      header: 'staff.sessions',
      width: 90,
      align: 'end',
      cell: ({ sessions }) => <span className="figure">{sessions}</span>,
      csv: ({ sessions }) => sessions,
    },
    {
      id: 'last_login',
      header: 'staff.last_login',
      width: 150,
      cell: (member) => <LastLogin member={member} />,
      csv: (member) => member.last_login_at,
    },
    {
      id: 'made_by',
      header: 'staff.made_by',
      width: 120,
      cell: (member) => <Maker member={member} />,
      csv: (member) => member.made_by,
    },
    {
      id: 'confirmed_by',
      header: 'staff.confirmed_by',
      width: 140,
      cell: (member) => <Confirmer member={member} />,
      csv: (member) => member.confirmed_by,
    },
    {
      id: 'created',
      header: 'staff.created',
      width: 150,
      optional: true,
      cell: (member) => <Moment at={member.created_at} />,
      csv: (member) => member.created_at,
    },
    {
      id: 'id',
      header: 'staff.id',
      width: 300,
      optional: true,
      cell: ({ id }) => <span className="mono">{id}</span>,
      csv: ({ id }) => id,
    },
  ],
};

/** The people who may log in here, and what another admin does for each of them. */
export default function StaffPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  return (
    <ListPage
      title={t('staff.title')}
      list={LIST}
      rowActs={(member: ListedStaff) => <StaffActs member={member} />}
      actions={
        may('POST /admin/staff/create') ? (
          <ActButton
            offered={{
              id: 'create',
              label: t('staff.create.offer'),
              dialog: (close) => <CreateStaff onClose={close} />,
            }}
          />
        ) : null
      }
    >
      <p>
        {t('staff.note')} <Link to="/own-security">{t('staff.note_link')}</Link>.
      </p>
    </ListPage>
  );
}
