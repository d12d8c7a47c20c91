import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { BellOff, CheckCheck } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { usePageHeader } from '@/ui/page-header';
import { QueryList } from '@/ui/query-list';
import stack from '@/ui/stack.module.css';
import { EmptyState, SkeletonCards } from '@/ui/states';
import { TabPanel, Tabs } from '@/ui/tabs';
import { useChoice } from '@/ui/use-choice';
import { notificationListQuery, unreadCountQuery } from '../api/queries';
import { useMarkRead } from '../api/use-mark-read';
import { NotificationItem } from '../components/notification-item';
import { PushOffer, usePushOffer } from '../components/push-offer';
import { CATEGORIES, FILTERS, isUrgent, securityFirst } from '../rules';
import styles from './notifications.module.css';

const PANEL = 'notification-list';

export default function NotificationsPage() {
  const { t } = useTranslation();
  const [category, setCategory] = useChoice('category', CATEGORIES);
  const [filter, setFilter] = useChoice('filter', FILTERS);
  const query = useInfiniteQuery(notificationListQuery(category, filter));
  const unread = useQuery(unreadCountQuery).data?.unread_total ?? 0;
  const mark = useMarkRead();
  const offer = usePushOffer();
  const { refetch } = query;
  usePageHeader({ onRefresh: useCallback(() => refetch(), [refetch]) });

  return (
    <>
      <div className={styles.bar}>
        <Tabs
          look="chips"
          label={t('notifications.categories')}
          panel={PANEL}
          items={CATEGORIES.map((value) => ({ value, label: t(`notifications.category.${value}`) }))}
          value={category}
          onChange={setCategory}
        />
        <div className={styles.tools}>
          <Tabs
            label={t('notifications.filters')}
            panel={PANEL}
            items={FILTERS.map((value) => ({ value, label: t(`notifications.filter.${value}`) }))}
            value={filter}
            onChange={setFilter}
          />
          <Button
            tone="quiet"
            disabled={unread === 0}
            busy={mark.isPending && 'all' in mark.variables}
            onClick={() => mark.mutate({ all: true, category })}
          >
            <CheckCheck size={18} aria-hidden="true" />
            {t('notifications.mark_all')}
          </Button>
        </div>
      </div>
      <TabPanel id={PANEL} label={t('title.notifications')}>
        <QueryList
          query={query}
          retryLabel={t('notifications.load_failed')}
          empty={
            <EmptyState
              icon={<BellOff size={28} />}
              title={t(filter === 'unread' ? 'notifications.empty_unread' : 'notifications.empty')}
              text={t('notifications.empty_text')}
            />
          }
        >
          {(items) =>
            // The offer must not push a list down that is being read.
            offer.isPending ? (
              <SkeletonCards />
            ) : (
              <>
                {offer.isOpen && items.some(isUrgent) ? <PushOffer offer={offer} /> : null}
                <ul className={stack.gap3}>
                  {securityFirst(items).map((item) => (
                    <NotificationItem
                      key={item.id}
                      notification={item}
                      onRead={() => mark.mutate({ id: item.id })}
                    />
                  ))}
                </ul>
              </>
            )
          }
        </QueryList>
      </TabPanel>
    </>
  );
}
