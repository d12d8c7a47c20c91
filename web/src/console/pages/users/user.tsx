import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import type { components } from '@/lib/api/schema';
import { Button, LinkButton } from '@/ui/button';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { ActMenu } from '../../act/act-button';
import { staffPost } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import type { StaffCall } from '../../api/roles';
import { useMay } from '../../session/use-staff';
import { PageHead } from '../../ui/page-head';
import { Panel } from '../../ui/panel';
import { useAccountActs } from './acts/account-acts';
import { useMoneyActs } from './acts/money-acts';
import styles from './user.module.css';
import { UserCoupons } from './user-coupons';
import { UserDestinations } from './user-destinations';
import { UserFigures } from './user-figures';
import { UserNotices } from './user-notices';
import { UserProfile } from './user-profile';
import { UserSecurityLog } from './user-security-log';
import { UserSessions } from './user-sessions';
import { UserTabs } from './user-tabs';

export type UserDetail = components['schemas']['UserDetail'];

/** Everything about one user, and what staff can do for them. */
export default function UserPage() {
  const { t } = useTranslation('console');
  const { id = '' } = useParams();
  const may = useMay();
  const user = useQuery({
    queryKey: consoleKeys.one('/admin/user/detail', id),
    queryFn: ({ signal }) => staffPost('/admin/user/detail', { id }, { signal }),
  });
  if (user.isPending) return <SkeletonCards />;
  if (user.isError) return <ErrorState error={user.error} onRetry={() => void user.refetch()} />;
  return (
    <>
      <PageHead title={user.data.username}>
        <UserActs user={user.data} />
      </PageHead>
      <UserTabs id={id} />
      <div className={styles.columns}>
        <Panel title={t('users.figures')}>
          <UserFigures property={user.data.property} />
        </Panel>
        <Panel title={t('users.profile')}>
          <UserProfile user={user.data} />
        </Panel>
        {may('GET /admin/user/destinations') ? (
          <Panel title={t('users.destinations')}>
            <UserDestinations id={id} />
          </Panel>
        ) : null}
        <Panel title={t('users.related')}>
          <Related user={user.data} />
        </Panel>
        <Panel title={t('users.sessions')}>
          <UserSessions sessions={user.data.sessions} />
        </Panel>
      </div>
      <UserCoupons key={`coupons ${id}`} userId={id} />
      <UserNotices key={`notices ${id}`} userId={id} />
      <UserSecurityLog key={`log ${id}`} userId={id} />
    </>
  );
}

function UserActs({ user }: { user: UserDetail }) {
  const { t } = useTranslation('console');
  const money = useMoneyActs(user);
  const account = useAccountActs(user);
  return (
    <>
      <ActMenu label={t('users.money_acts')} offered={money}>
        <Button>{t('users.money_acts')}</Button>
      </ActMenu>
      <ActMenu label={t('users.account_acts')} offered={account}>
        <Button tone="secondary">{t('users.account_acts')}</Button>
      </ActMenu>
    </>
  );
}

const listOf = (address: string) => (user: UserDetail) => `${address}&user_id=${user.id}`;
const formOf = (address: string) => (user: UserDetail) =>
  `${address}?user=${user.id}&name=${encodeURIComponent(user.username)}`;

/** The lists that show this user alone, and the pages that begin with them. */
const RELATED = [
  { call: 'GET /admin/plan/list', label: 'users.see_plans', path: listOf('/plans?status=any') },
  {
    call: 'GET /admin/withdraw/list',
    label: 'users.see_withdrawals',
    path: listOf('/withdrawals?status=any'),
  },
  { call: 'GET /admin/exchange/list', label: 'users.see_exchange', path: listOf('/exchange?status=any') },
  { call: 'GET /admin/audit/list', label: 'users.see_audit', path: ({ id }) => `/audit?user_id=${id}` },
  { call: 'POST /admin/plan/push', label: 'users.push_plan', path: formOf('/plans/push') },
  { call: 'POST /admin/notification/create', label: 'users.write_notice', path: formOf('/notices/new') },
] as const satisfies readonly { call: StaffCall; label: string; path: (user: UserDetail) => string }[];

function Related({ user }: { user: UserDetail }) {
  const { t } = useTranslation('console');
  const may = useMay();
  return (
    <div className={styles.links}>
      {RELATED.filter(({ call }) => may(call)).map(({ call, label, path }) => (
        <LinkButton key={call} tone="secondary" to={path(user)}>
          {t(label)}
        </LinkButton>
      ))}
    </div>
  );
}
