import { type QueryClient, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { keptRange, RANGES, type Range } from '@/domain/statistics/range';
import { userInfoQuery } from '@/domain/user-info';
import type { Statistics } from '@/lib/api/types';
import { useStore } from '@/lib/use-store';
import { LinkButton } from '@/ui/button';
import { cx } from '@/ui/cx';
import { usePageHeader } from '@/ui/page-header';
import stack from '@/ui/stack.module.css';
import { ErrorState, Skeleton } from '@/ui/states';
import { TabPanel, Tabs } from '@/ui/tabs';
import { choiceOf, useChoice } from '@/ui/use-choice';
import { usePart } from '@/ui/use-part';
import { everQuery, statisticsQuery, waitingPlansQuery } from '../api/queries';
import { DeliveryCard } from '../components/delivery-card';
import { FigureGrid } from '../components/figure-grid';
import { Hero } from '../components/hero';
import { WaitingHint } from '../components/waiting-hint';
import { isUndelivered } from '../rules';
import styles from './ad-center.module.css';

const PANEL = 'statistics';

const loadStartCard = () => import('../components/start-card');

export function prefetch(queryClient: QueryClient, query: URLSearchParams): Promise<unknown> {
  const shown = statisticsQuery(rangeOf(query));
  const figures = async () => {
    await queryClient.prefetchQuery(shown);
    const statistics = queryClient.getQueryData(shown.queryKey);
    if (!statistics || !isUndelivered(statistics)) return;
    await Promise.all([queryClient.prefetchQuery(everQuery), loadStartCard()]);
  };
  return Promise.all([figures(), queryClient.prefetchQuery(waitingPlansQuery)]);
}

/** Figures and plans. Until the first delivery report, the first steps stand above them. */
export default function AdCenterPage() {
  const { t } = useTranslation();
  const [range, setRange] = useRange();
  const query = useQuery(statisticsQuery(range));
  const waiting = useQuery(waitingPlansQuery);
  const start = useStart(query.data);
  // The page itself shows nothing of the user, but on it the app learns of a change of the account.
  useQuery(userInfoQuery);
  const { refetch } = query;
  const refresh = useCallback(() => refetch(), [refetch]);
  usePageHeader({ onRefresh: refresh });

  const isWaitingKnown = !waiting.isPending || waiting.failureCount > 0;
  const isKnown = useOnceTrue((query.isError || start.isKnown) && isWaitingKnown);
  const statistics = isKnown ? query.data : undefined;
  const waitingCount = waiting.data?.counts.waiting ?? 0;
  const { StartCard } = start;

  return (
    // With a new key, so that what appears on top replaces the skeleton instead of pushing it down.
    <div key={String(isKnown)} className={stack.gap4}>
      {isKnown && waitingCount > 0 ? (
        <WaitingHint count={waitingCount} plans={waiting.data?.items ?? []} />
      ) : null}
      {isKnown && StartCard ? <StartCard /> : null}
      {isKnown ? (
        <div className={styles.ranges}>
          <Tabs
            look="chips"
            label={t('ad_center.ranges')}
            panel={PANEL}
            items={RANGES.map((value) => ({ value, label: t(`ad_center.range.${value}`) }))}
            value={range}
            onChange={setRange}
          />
        </div>
      ) : (
        <Skeleton height="52px" />
      )}
      <TabPanel
        id={PANEL}
        label={t(`ad_center.range.${range}`)}
        busy={query.isPlaceholderData}
        className={cx(styles.content, query.isPlaceholderData && styles.stale)}
      >
        {query.isError && !query.data ? (
          <ErrorState error={query.error} onRetry={refresh} />
        ) : (
          <>
            <Hero
              statistics={statistics}
              range={range}
              isFetching={query.isFetching}
              failed={query.isError}
              onRefresh={refresh}
            />
            <div className={styles.side}>
              <LinkButton to="/plan?products=open" large>
                <Plus size={20} aria-hidden="true" />
                {t('plan.new')}
              </LinkButton>
              <FigureGrid statistics={statistics} range={range} />
            </div>
            <DeliveryCard statistics={statistics} fetchedAt={query.dataUpdatedAt} />
          </>
        )}
      </TabPanel>
    </div>
  );
}

/** The range of the address, else the one that was chosen last. */
function rangeOf(query: URLSearchParams): Range {
  return query.has('range') ? choiceOf(query, 'range', RANGES) : keptRange.get();
}

/** The range, kept while the user visits other pages. */
function useRange(): [Range, (range: Range) => void] {
  const [query] = useSearchParams();
  const [, setChoice] = useChoice('range', RANGES);
  useStore(keptRange, (kept) => kept);
  const range = rangeOf(query);
  const isNamed = query.has('range');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the setter is new with every render
  useEffect(() => {
    if (isNamed) keptRange.set(range);
    else if (range !== RANGES[0]) setChoice(range);
  }, [isNamed, range]);
  const choose = (next: Range) => {
    keptRange.set(next);
    setChoice(next);
  };
  return [range, choose];
}

/**
 * The card of the first steps until something was delivered. Only figures that show nothing make the page ask about all
 * time. Known also if that cannot be learned: the figures need no card.
 */
function useStart(statistics: Statistics | undefined) {
  const isUnsure = statistics !== undefined && isUndelivered(statistics);
  const ever = useQuery({ ...everQuery, enabled: isUnsure });
  const isNew = isUnsure && ever.data !== undefined && isUndelivered(ever.data);
  const [failed, setFailed] = useState(false);
  const Card = usePart(loadStartCard, isNew, () => setFailed(true));
  const isDecided = !isUnsure || ever.isError || (ever.data !== undefined && !isNew);
  return {
    StartCard: isNew ? Card : null,
    isKnown: statistics !== undefined && (isDecided || Card !== null || failed),
  };
}

/** Whether something has held once. */
function useOnceTrue(value: boolean): boolean {
  const [was, setWas] = useState(value);
  if (value && !was) setWas(true);
  return was || value;
}
