import { type QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ChevronRight, Hourglass, Layers, Plus } from 'lucide-react';
import { type ComponentType, useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { FIGURES } from '@/domain/statistics/figure';
import { RANGES } from '@/domain/statistics/range';
import { useFormats } from '@/i18n/format';
import type { PlanFigure } from '@/lib/api/types';
import { Button } from '@/ui/button';
import { usePageHeader } from '@/ui/page-header';
import { QueryList } from '@/ui/query-list';
import { EmptyState, SkeletonCards } from '@/ui/states';
import { TabPanel, Tabs } from '@/ui/tabs';
import { choiceOf, useChoice } from '@/ui/use-choice';
import { isDesk, useDeskPart } from '@/ui/use-desk';
import { fetchAhead } from '@/ui/use-part';
import { useQueryPatch } from '@/ui/use-query-patch';
import { figureListQuery, planListQuery, waitingCountQuery } from '../api/queries';
import { FigurePlans } from '../components/figure-plans';
import { PlanCards } from '../components/plan-cards';
import { ProductSheet } from '../components/product-sheet';
import { countOf, PUSHES, STATUS_TABS } from '../rules';
import styles from './plans.module.css';

const PANEL = 'plan-list';

const loadDesk = () => import('../desk/plans-desk').then(({ load }) => load());

export function prefetch(queryClient: QueryClient, query: URLSearchParams): Promise<unknown> {
  const figure = figureOf(query);
  if (figure)
    return queryClient.prefetchInfiniteQuery(figureListQuery(figure, choiceOf(query, 'range', RANGES)));
  const push = choiceOf(query, 'push', PUSHES);
  const status = choiceOf(query, 'status', STATUS_TABS);
  if (isDesk()) return fetchAhead([loadDesk]);
  return Promise.all([
    queryClient.prefetchInfiniteQuery(planListQuery(push, status)),
    status === 'waiting' ? null : queryClient.prefetchQuery(waitingCountQuery),
  ]);
}

export default function PlansPage() {
  const figure = figureOf(useSearchParams()[0]);
  const desk = useDeskPart(loadDesk);
  if (figure) return <FigurePlans key={figure} figure={figure} />;
  if (desk.isAwaited) return <SkeletonCards height="12rem" />;
  return desk.Part ? <Desk Table={desk.Part} /> : <AllPlans />;
}

function Desk({ Table }: { Table: ComponentType<{ onNew: () => void }> }) {
  const status = choiceOf(useSearchParams()[0], 'status', STATUS_TABS);
  const products = useProductSheet();
  return (
    <>
      {status === 'waiting' ? null : <WaitingBanner />}
      <Table onNew={products.open} />
      <ProductSheet isOpen={products.isOpen} onClose={products.close} />
    </>
  );
}

/** The figure whose plans the address asks for. */
function figureOf(query: URLSearchParams): PlanFigure | undefined {
  return FIGURES.find((figure) => figure === query.get('figure'));
}

function AllPlans() {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const [push, setPush] = useChoice('push', PUSHES);
  const [status, setStatus] = useChoice('status', STATUS_TABS);
  const products = useProductSheet();
  const query = useInfiniteQuery(planListQuery(push, status));
  const counts = query.data?.pages[0]?.counts;
  const { refetch } = query;
  usePageHeader({ onRefresh: useCallback(() => refetch(), [refetch]) });

  return (
    <>
      <div className={styles.bar}>
        <div className={styles.top}>
          <Tabs
            label={t('plan.pushes')}
            panel={PANEL}
            items={PUSHES.map((value) => ({ value, label: t(`plan.push.${value}`) }))}
            value={push}
            onChange={setPush}
          />
          <Button onClick={products.open}>
            <Plus size={20} aria-hidden="true" />
            {t('plan.new')}
          </Button>
        </div>
        <Tabs
          look="chips"
          label={t('plan.statuses')}
          panel={PANEL}
          items={STATUS_TABS.map((value) => ({
            value,
            label: value === 'all' ? t('plan.push.all') : t(`plan.status.${value}`),
            count: countOf(counts, value),
          }))}
          value={status}
          onChange={setStatus}
          formatCount={integer}
        />
      </div>
      {status === 'waiting' ? null : <WaitingBanner />}
      <TabPanel id={PANEL} label={t('title.plans')} busy={query.isPlaceholderData}>
        <QueryList
          query={query}
          skeleton={<SkeletonCards height="12rem" />}
          empty={
            <EmptyState
              icon={<Layers size={28} />}
              title={t(status === 'all' ? 'plan.empty' : 'plan.empty_filtered')}
              text={t(status === 'all' ? 'plan.empty_text' : 'plan.empty_filtered_text')}
              action={
                <Button tone="secondary" onClick={products.open}>
                  {t('plan.new')}
                </Button>
              }
            />
          }
        >
          {(plans) => <PlanCards plans={plans} busy={query.isPlaceholderData} />}
        </QueryList>
      </TabPanel>
      <ProductSheet isOpen={products.isOpen} onClose={products.close} />
    </>
  );
}

/** Links to the pushed plans. Hidden if there are none or the count failed. */
function WaitingBanner() {
  const { t } = useTranslation();
  const count = useQuery(waitingCountQuery).data ?? 0;
  if (count === 0) return null;
  return (
    <Link className={styles.waiting} to="/plan?status=waiting">
      <Hourglass size={20} aria-hidden="true" />
      <span>{t('plan.waits', { count })}</span>
      <ChevronRight size={18} aria-hidden="true" />
    </Link>
  );
}

/** Open state in the URL, so that other pages can link to the product sheet and Back closes it. */
function useProductSheet() {
  const [query] = useSearchParams();
  const patch = useQueryPatch();
  return {
    isOpen: query.get('products') === 'open',
    open: () => patch({ products: 'open' }, { replace: false }),
    close: () => patch({ products: null }),
  };
}
