import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import { Amount } from '../../ui/amount';
import { Badge } from '../../ui/badge';
import { Count } from '../../ui/count';
import { Panel } from '../../ui/panel';
import { PlainTable } from '../../ui/plain-table';

type Shown = components['schemas']['PlanPlacements'];

/** Where a plan was shown, how well that worked, and why a placement gets what it gets. */
export function PlanPlacements({ id }: { id: string }) {
  const { t } = useTranslation('console');
  const query = useQuery({
    queryKey: consoleKeys.one('/admin/plan/placements', id),
    queryFn: ({ signal }) => staffGet('/admin/plan/placements', { plan_id: id }, { signal }),
  });
  return (
    <Panel title={t('plans.placements')}>
      {query.isPending ? (
        <SkeletonCards count={1} />
      ) : query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Placements shown={query.data} />
      )}
    </Panel>
  );
}

function Placements({ shown }: { shown: Shown }) {
  const { t } = useTranslation('console');
  const { integer, percent, moment, list } = useFormats();
  const { learning, items } = shown;
  if (items.length === 0) return <p>{t('plans.no_placements')}</p>;
  const percentOf = (rate: number) => percent(String(rate));
  const known = t(learning.clicks < learning.of ? 'plans.learning' : 'plans.learned', {
    clicks: integer(learning.clicks),
    of: integer(learning.of),
  });
  const until = shown.reported_until;
  return (
    <>
      <p>{list([known, ...(until ? [t('plans.reported_until', { time: moment(until) })] : [])])}</p>
      <PlainTable
        label={t('plans.placements')}
        rows={items}
        rowKey={({ placement }) => placement?.id ?? ''}
        columns={[
          {
            id: 'placement',
            header: t('plans.placement'),
            cell: ({ placement, simulated }) => (
              <>
                {placement?.name ?? t('plans.no_placement')}{' '}
                {simulated ? <Badge>{t('plans.simulated')}</Badge> : null}
              </>
            ),
          },
          {
            id: 'impressions',
            header: t('plans.impressions'),
            align: 'end',
            cell: ({ impressions }) => <Count value={impressions} />,
          },
          {
            id: 'clicks',
            header: t('plans.clicks'),
            align: 'end',
            cell: ({ clicks }) => <Count value={clicks} />,
          },
          { id: 'ctr', header: t('plans.ctr'), align: 'end', cell: ({ ctr }) => percentOf(ctr) },
          {
            id: 'range',
            header: t('plans.ctr_range'),
            align: 'end',
            cell: (row) => t('plans.range', { low: percentOf(row.ctr_low), high: percentOf(row.ctr_high) }),
          },
          {
            id: 'spend',
            header: t('plans.spend'),
            align: 'end',
            cell: ({ spend }) => <Amount value={spend} />,
          },
          {
            id: 'share',
            header: t('plans.share'),
            align: 'end',
            cell: ({ share }) => (share === null ? t('list.none') : percentOf(share)),
          },
          {
            id: 'reason',
            header: t('plans.why'),
            cell: ({ reason }) => (reason === null ? t('list.none') : t(`plans.reasons.${reason}`)),
          },
        ]}
      />
    </>
  );
}
