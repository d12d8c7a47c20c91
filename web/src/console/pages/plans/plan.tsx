import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { staffPost } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import { PageHead } from '../../ui/page-head';
import { PlanActs } from './plan-acts';
import { PlanFacts, PlanFigures } from './plan-facts';
import { PlanFlow, PlanSeries, PlanTimeline } from './plan-history';
import { PlanPace } from './plan-pace';
import { PlanPlacements } from './plan-placements';

/** A plan of any user, with what staff can do about it. */
export default function PlanPage() {
  const { t } = useTranslation('console');
  const { id = '' } = useParams();
  const query = useQuery({
    queryKey: consoleKeys.one('/admin/plan/detail', id),
    queryFn: ({ signal }) => staffPost('/admin/plan/detail', { id }, { signal }),
  });
  if (query.isPending || query.isError) {
    return (
      <>
        <PageHead title={t('plans.one_title')} />
        {query.isPending ? (
          <SkeletonCards count={4} height="8rem" />
        ) : (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        )}
      </>
    );
  }
  const plan = query.data;
  return (
    <>
      <PageHead title={t('plans.named', { number: plan.plan_number })}>
        <PlanActs plan={plan} />
      </PageHead>
      <PlanFacts plan={plan} />
      <PlanFigures plan={plan} />
      <PlanTimeline plan={plan} />
      <PlanSeries plan={plan} />
      <PlanPace id={id} />
      <PlanPlacements id={id} />
      <PlanFlow plan={plan} />
    </>
  );
}
