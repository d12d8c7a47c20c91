import { useQuery } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Button } from '@/ui/button';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import { useMay } from '../../session/use-staff';
import { Amount } from '../../ui/amount';
import { Moment } from '../../ui/moment';
import { PageHead } from '../../ui/page-head';
import { PlainTable } from '../../ui/plain-table';
import { ACCOUNTS, hasEntries, type PlatformAccount } from './accounts';

const PATH = '/admin/platform/accounts';

/** The platform's own accounts, as the last proof of the books found them. */
export default function PlatformPage() {
  const { t } = useTranslation('console');
  const accounts = useQuery({
    queryKey: consoleKeys.one(PATH),
    queryFn: ({ signal }) => staffGet(PATH, undefined, { signal }),
  });
  return (
    <>
      <PageHead title={t('platform.title')}>
        <Button tone="secondary" busy={accounts.isFetching} onClick={() => void accounts.refetch()}>
          <RotateCw size={16} aria-hidden="true" />
          {t('list.refresh')}
        </Button>
      </PageHead>
      <p>{t('platform.intro')}</p>
      {accounts.isPending ? (
        <SkeletonCards count={5} height="2.75rem" />
      ) : accounts.isError ? (
        <ErrorState error={accounts.error} onRetry={() => void accounts.refetch()} />
      ) : (
        <>
          <p>
            {accounts.data.as_of === null ? (
              t('platform.no_proof')
            ) : (
              <>
                {t('platform.as_of')} <Moment at={accounts.data.as_of} />
              </>
            )}
          </p>
          <Balances balances={new Map(accounts.data.items.map((item) => [item.account, item.balance]))} />
        </>
      )}
    </>
  );
}

function Balances({ balances }: { balances: ReadonlyMap<PlatformAccount, string> }) {
  const { t } = useTranslation('console');
  return (
    <PlainTable
      label={t('platform.title')}
      rows={ACCOUNTS}
      rowKey={(account) => account}
      columns={[
        { id: 'account', header: t('platform.account'), cell: (account) => <Name account={account} /> },
        { id: 'meaning', header: t('platform.meaning'), cell: (account) => t(`platform.means.${account}`) },
        {
          id: 'balance',
          header: t('platform.balance'),
          align: 'end',
          cell: (account) => <Amount value={balances.get(account)} signed />,
        },
        { id: 'entries', header: t('platform.entries'), cell: (account) => <Entries account={account} /> },
      ]}
    />
  );
}

function Name({ account }: { account: PlatformAccount }) {
  const { t } = useTranslation('console');
  return t(`platform.accounts.${account}`);
}

/** Where the entries of an account are. */
function Entries({ account }: { account: PlatformAccount }) {
  const { t } = useTranslation('console');
  const may = useMay();
  const name = t(`platform.accounts.${account}`);
  if (hasEntries(account))
    return <Link to={`/platform/${account}`}>{t('platform.entries_of', { name })}</Link>;
  return (
    <>
      {t('platform.by_plan')}{' '}
      {may('GET /admin/plan/list') ? <Link to="/plans">{t('platform.see_plans')}</Link> : null}
    </>
  );
}
