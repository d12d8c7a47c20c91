import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import type { components } from '@/lib/api/schema';
import { columnsOf, userColumn } from '../../table/columns';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { PageHead } from '../../ui/page-head';
import { accountOf, hasEntries, type PlatformAccount } from './accounts';

type Entry = components['schemas']['StaffPlatformEntry'];

const { amount, code, moment, staff, text } = columnsOf<Entry>();

const LIST: List<'/admin/platform/entries'> = {
  path: '/admin/platform/entries',
  rowId: (entry) => entry.transaction_id,
  rowName: ({ type, amount: moved, user }) => `${type}, ${moved}, ${user.username ?? user.id}`,
  empty: 'platform.empty',
  filters: [],
  columns: [
    moment('time', 'platform.time'),
    {
      id: 'type',
      header: 'platform.type',
      width: 180,
      cell: ({ type }) => <span className="mono">{type}</span>,
      csv: ({ type }) => type,
    },
    userColumn('platform.user'),
    amount('amount', 'platform.amount', { signed: true }),
    text('remark', 'platform.remark', { width: 240 }),
    staff('staff_id', 'platform.staff'),
    code('reference', 'platform.reference', { optional: true }),
    code('transaction_id', 'platform.transaction', { optional: true }),
  ],
};

/** What moved an account of the platform. */
export default function EntriesPage() {
  const { t } = useTranslation('console');
  const account = accountOf(useParams().account);
  if (account === null) {
    return (
      <>
        <PageHead title={t('platform.one_title')} />
        <p>{t('platform.not_found')}</p>
      </>
    );
  }
  return <Entries key={account} account={account} />;
}

function Entries({ account }: { account: PlatformAccount }) {
  const { t } = useTranslation('console');
  const list = useMemo(() => ({ ...LIST, fixed: { account } }), [account]);
  const title = t(`platform.accounts.${account}`);
  const meaning = <p>{t(`platform.means.${account}`)}</p>;
  if (!hasEntries(account)) {
    return (
      <>
        <PageHead title={title} />
        {meaning}
        <p>
          {t('platform.by_plan')} <Link to="/plans">{t('platform.see_plans')}</Link>
        </p>
      </>
    );
  }
  return (
    <ListPage title={title} list={list}>
      {meaning}
    </ListPage>
  );
}
