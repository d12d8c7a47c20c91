import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import { Amount } from '../../ui/amount';
import { Panel } from '../../ui/panel';
import { PlainTable } from '../../ui/plain-table';

/** Whether the budget is spent as planned. */
export function PlanPace({ id }: { id: string }) {
  const { t } = useTranslation('console');
  const query = useQuery({
    queryKey: consoleKeys.one('/admin/plan/pace', id),
    queryFn: ({ signal }) => staffGet('/admin/plan/pace', { plan_id: id }, { signal }),
  });
  return (
    <Panel title={t('plans.pace')}>
      {query.isPending ? (
        <SkeletonCards count={1} />
      ) : query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Pace pace={query.data} />
      )}
    </Panel>
  );
}

function Pace({ pace }: { pace: components['schemas']['PlanPace'] }) {
  const { t } = useTranslation('console');
  const { dateTime } = useFormats();
  return (
    <>
      <p>{t(`plans.paces.${pace.state}`)}</p>
      {pace.series.length === 0 ? null : (
        <PlainTable
          label={t('plans.pace')}
          rows={pace.series}
          rowKey={({ time }) => time}
          columns={[
            { id: 'time', header: t('plans.pace_until'), cell: ({ time }) => dateTime(time) },
            {
              id: 'spent',
              header: t('plans.pace_spent'),
              align: 'end',
              cell: ({ spent }) => <Amount value={spent} />,
            },
            {
              id: 'planned',
              header: t('plans.pace_planned'),
              align: 'end',
              cell: ({ planned }) => <Amount value={planned} />,
            },
            {
              id: 'low',
              header: t('plans.pace_low'),
              align: 'end',
              cell: ({ low }) => <Amount value={low} />,
            },
            {
              id: 'high',
              header: t('plans.pace_high'),
              align: 'end',
              cell: ({ high }) => <Amount value={high} />,
            },
          ]}
        />
      )}
    </>
  );
}
