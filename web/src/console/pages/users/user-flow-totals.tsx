import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ErrorState, Skeleton } from '@/ui/states';
import { staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import type { List } from '../../table/list';
import { useFilters } from '../../table/use-filters';
import { Amount } from '../../ui/amount';
import { Facts } from '../../ui/facts';
import { Panel } from '../../ui/panel';

const PATH = '/admin/user/flow';

type Props = { list: List<typeof PATH> };

/** What the entries of one account add up to, on whatever page. Those of several accounts do not add up. */
export function UserFlowTotals({ list }: Props) {
  const { t } = useTranslation('console');
  const { query } = useFilters(list);
  const hasAccount = query.account !== undefined;
  const found = useQuery({
    queryKey: consoleKeys.list(PATH, {
      user_id: query.user_id,
      account: query.account,
      type: query.type,
      month: query.month,
      totals: 'true',
    }),
    queryFn: ({ signal }) => staffGet(PATH, { ...query, totals: true, limit: 1 }, { signal }),
    enabled: hasAccount,
  });
  if (!hasAccount) return <p>{t('users.totals_hint')}</p>;
  const totals = found.data?.totals;
  return (
    <Panel title={t('users.totals')}>
      {totals ? (
        <Facts
          facts={[
            { label: t('users.total_in'), value: <Amount value={totals.in} /> },
            { label: t('users.total_out'), value: <Amount value={totals.out} /> },
            { label: t('users.total_net'), value: <Amount value={totals.net} signed /> },
          ]}
        />
      ) : found.isError ? (
        <ErrorState error={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <Skeleton height="3rem" />
      )}
    </Panel>
  );
}
