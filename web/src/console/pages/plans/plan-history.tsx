import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { Skeleton } from '@/ui/states';
import { Amount } from '../../ui/amount';
import { Count } from '../../ui/count';
import { Moment } from '../../ui/moment';
import { Panel } from '../../ui/panel';
import { PlainTable } from '../../ui/plain-table';
import { PlanStatus, type StaffPlanDetail } from './plan-status';

const DeliveryChart = lazy(() => import('./delivery-chart').then(({ load }) => load()));

type Props = { plan: StaffPlanDetail };

/** Every change of its status, with the reason. */
export function PlanTimeline({ plan }: Props) {
  const { t } = useTranslation('console');
  return (
    <Panel title={t('plans.timeline')}>
      <PlainTable
        label={t('plans.timeline')}
        rows={plan.timeline}
        rowKey={({ time, status }) => `${time} ${status}`}
        columns={[
          { id: 'time', header: t('plans.time'), cell: ({ time }) => <Moment at={time} /> },
          { id: 'status', header: t('plans.status'), cell: ({ status }) => <PlanStatus status={status} /> },
          { id: 'reason', header: t('act.reason'), cell: ({ reason }) => reason || t('list.none') },
        ]}
      />
    </Panel>
  );
}

/** What was delivered in each hour, day or month. The server also sends the hours of today that are to come. */
export function PlanSeries({ plan }: Props) {
  const { t } = useTranslation('console');
  const { dateTime, date } = useFormats();
  const now = Date.now();
  const points = plan.series.filter(({ time }) => Date.parse(time) <= now);
  const nameOf = (time: string) => (plan.bucket === 'hour' ? dateTime(time) : date(time));
  return (
    <Panel title={t('plans.delivery')}>
      {points.length === 0 ? (
        <p>{t('plans.no_delivery')}</p>
      ) : (
        <>
          <Suspense fallback={<Skeleton height="13.75rem" />}>
            <DeliveryChart points={points} bucket={plan.bucket} isOpen={plan.end_time !== null} />
          </Suspense>
          <PlainTable
            label={t(`plans.delivery_by.${plan.bucket}`)}
            rows={points}
            rowKey={({ time }) => time}
            columns={[
              { id: 'time', header: t(`plans.buckets.${plan.bucket}`), cell: ({ time }) => nameOf(time) },
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
              {
                id: 'consumed',
                header: t('plans.consumed'),
                align: 'end',
                cell: ({ consumed }) => <Amount value={consumed} />,
              },
              {
                id: 'revenue',
                header: t('plans.revenue'),
                align: 'end',
                cell: ({ revenue }) => <Amount value={revenue} />,
              },
            ]}
          />
        </>
      )}
    </Panel>
  );
}

/** What was posted to the user's wallet for it. */
export function PlanFlow({ plan }: Props) {
  const { t } = useTranslation('console');
  return (
    <Panel title={t('plans.flow')}>
      {plan.flow.length === 0 ? (
        <p>{t('plans.no_flow')}</p>
      ) : (
        <PlainTable
          label={t('plans.flow')}
          rows={plan.flow}
          rowKey={({ id }) => id}
          columns={[
            { id: 'time', header: t('plans.time'), cell: ({ time }) => <Moment at={time} /> },
            {
              id: 'type',
              header: t('plans.flow_type'),
              cell: ({ type }) => t(`plans.flow_types.${type}`),
            },
            {
              id: 'account',
              header: t('plans.account'),
              cell: ({ account }) => t(`plans.accounts.${account}`),
            },
            {
              id: 'amount',
              header: t('act.amount'),
              align: 'end',
              cell: ({ amount }) => <Amount value={amount} signed />,
            },
            {
              id: 'after',
              header: t('plans.balance_after'),
              align: 'end',
              cell: (entry) => <Amount value={entry.balance_after} />,
            },
            { id: 'remark', header: t('plans.remark'), cell: ({ remark }) => remark || t('list.none') },
          ]}
        />
      )}
    </Panel>
  );
}
