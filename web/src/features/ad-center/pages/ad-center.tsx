import { type QueryClient, useQuery } from '@tanstack/react-query';
import { Plus, Ticket } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { BelowFold } from '@/ui/below-fold';
import { LinkButton } from '@/ui/button';
import { cx } from '@/ui/cx';
import { usePageHeader } from '@/ui/page-header';
import stack from '@/ui/stack.module.css';
import { ErrorState } from '@/ui/states';
import { TabPanel, Tabs } from '@/ui/tabs';
import { choiceOf, useChoice } from '@/ui/use-choice';
import { waitingCountQuery } from '../api/account';
import { statisticsQuery } from '../api/queries';
import { AccountCard } from '../components/account-card';
import { DeliveryCard } from '../components/delivery-card';
import { FigureGrid } from '../components/figure-grid';
import { HelpCard } from '../components/help-card';
import { Hero } from '../components/hero';
import { Menus } from '../components/menus';
import { WaitingHint } from '../components/waiting-hint';
import { RANGES } from '../rules';
import styles from './ad-center.module.css';

const PANEL = 'statistics';

export function prefetch(queryClient: QueryClient, query: URLSearchParams): Promise<unknown> {
  return Promise.all([
    queryClient.prefetchQuery(statisticsQuery(choiceOf(query, 'range', RANGES))),
    queryClient.prefetchQuery(waitingCountQuery),
  ]);
}

export default function AdCenterPage() {
  const { t } = useTranslation();
  const [range, setRange] = useChoice('range', RANGES);
  const query = useQuery(statisticsQuery(range));
  const { refetch } = query;
  const refresh = useCallback(() => refetch(), [refetch]);
  usePageHeader({ onRefresh: refresh });

  return (
    <div className={stack.gap4}>
      <Tabs
        label={t('ad_center.ranges')}
        panel={PANEL}
        items={RANGES.map((value) => ({ value, label: t(`ad_center.range.${value}`) }))}
        value={range}
        onChange={setRange}
      />
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
              statistics={query.data}
              updatedAt={query.dataUpdatedAt}
              isFetching={query.isFetching}
              failed={query.isError}
              onRefresh={refresh}
            />
            <Actions />
            <FigureGrid statistics={query.data} />
            <DeliveryCard series={query.data?.series} />
          </>
        )}
      </TabPanel>
      <WaitingHint />
      <BelowFold>
        <AccountCard />
        <Menus />
        <HelpCard />
      </BelowFold>
    </div>
  );
}

function Actions() {
  const { t } = useTranslation();
  return (
    <div className={styles.actions}>
      <LinkButton to="/plan?products=open" large>
        <Plus size={20} aria-hidden="true" />
        {t('plan.new')}
      </LinkButton>
      <LinkButton to="/ad-center/coupons" tone="secondary" large>
        <Ticket size={20} aria-hidden="true" />
        {t('title.coupons')}
      </LinkButton>
    </div>
  );
}
