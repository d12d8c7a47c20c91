import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ChartNoAxesColumn, FileQuestionMark } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useBasicConfig } from '@/domain/basic-config';
import { DeliveryChart } from '@/domain/delivery/delivery-chart';
import { FlowList } from '@/domain/flow/flow-list';
import type { PlanDetail } from '@/lib/api/types';
import { LinkButton } from '@/ui/button';
import { Card } from '@/ui/card';
import { usePageHeader } from '@/ui/page-header';
import stack from '@/ui/stack.module.css';
import { EmptyState, ErrorState, SkeletonCards } from '@/ui/states';
import { useDeskPart } from '@/ui/use-desk';
import { refetchPlacing } from '../api/placing';
import { planQuery } from '../api/queries';
import { Placing } from '../components/placing';
import { PlanFacts } from '../components/plan-facts';
import { PlanSummary } from '../components/plan-summary';
import { PlanTimeline } from '../components/plan-timeline';
import { isRunning } from '../rules';
import styles from './plan-detail.module.css';

const loadSplit = () => import('../desk/plan-split').then(({ load }) => load());

export default function PlanDetailPage() {
  const id = useSearchParams()[0].get('id') ?? '';
  const { Part: Split, isAwaited } = useDeskPart(loadSplit);
  if (isAwaited) return <SkeletonCards height="12rem" />;
  return Split ? (
    <Split id={id}>
      <Plan id={id} />
    </Split>
  ) : (
    <Plan id={id} />
  );
}

function Plan({ id }: { id: string }) {
  const { t } = useTranslation();
  const query = useQuery({ ...planQuery(id), enabled: id !== '' });
  const { refetch } = query;
  const queryClient = useQueryClient();
  usePageHeader({
    onRefresh: useCallback(
      () => Promise.all([refetch(), refetchPlacing(queryClient, id)]),
      [refetch, queryClient, id],
    ),
  });

  if (id === '') {
    return (
      <EmptyState
        icon={<FileQuestionMark size={28} />}
        title={t('plan.not_found')}
        action={<LinkButton to="/plan">{t('title.plans')}</LinkButton>}
      />
    );
  }
  if (query.isPending) return <SkeletonCards height="12rem" />;
  if (query.isError && !query.data) return <ErrorState error={query.error} onRetry={() => refetch()} />;
  return query.data ? <PlanView plan={query.data} fetchedAt={query.dataUpdatedAt} /> : null;
}

type ViewProps = { plan: PlanDetail; fetchedAt: number };

function PlanView({ plan, fetchedAt }: ViewProps) {
  const { t } = useTranslation();
  const currency = useBasicConfig().data?.currency;
  return (
    <div className={stack.gap4}>
      <PlanSummary plan={plan} />
      {plan.series.length > 0 || isRunning(plan) ? (
        <Card title={t('ad_center.delivery')}>
          {plan.series.length > 0 ? (
            <DeliveryChart
              series={plan.series}
              bucket={plan.bucket}
              now={fetchedAt}
              isOver={plan.status !== 'putting'}
              id="plan-chart"
            />
          ) : (
            // As high as the chart, to avoid a layout shift with the first report.
            <div className={styles.noDelivery}>
              <EmptyState
                icon={<ChartNoAxesColumn size={28} />}
                title={t('plan.no_delivery')}
                text={t('ad_center.no_delivery_text')}
              />
            </div>
          )}
        </Card>
      ) : null}
      <Placing plan={plan} />
      <Card title={t('plan.timeline')}>
        <PlanTimeline plan={plan} />
      </Card>
      {plan.flow.length > 0 ? (
        <Card title={t('plan.flow')} action={<span className={styles.currency}>{currency}</span>}>
          <FlowList entries={plan.flow} />
        </Card>
      ) : null}
      <PlanFacts plan={plan} />
    </div>
  );
}
