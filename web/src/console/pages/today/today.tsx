import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import { useReadEvery } from '../../live/state';
import { PageHead } from '../../ui/page-head';
import { AlertsPanel } from './alerts-panel';
import { BooksPanel } from './books-panel';
import { inOrder } from './kinds';
import { SourcesPanel } from './sources-panel';
import styles from './today.module.css';
import { WaitingCard } from './waiting-card';

/** What waits for a person, each with its age and the way to where it is decided, and how the programme's parts are. */
export default function TodayPage() {
  const { t } = useTranslation('console');
  const { time } = useFormats();
  const readEvery = useReadEvery('/admin/today');
  const today = useQuery({
    queryKey: consoleKeys.one('/admin/today'),
    queryFn: ({ signal }) => staffGet('/admin/today', undefined, { signal }),
    refetchInterval: readEvery,
  });
  const { data } = today;
  return (
    <>
      <PageHead title={t('today.title')} />
      {data ? (
        <>
          <ul className={styles.kinds}>
            {inOrder(data.waiting).map((waiting) => (
              <li key={waiting.kind}>
                <WaitingCard waiting={waiting} at={data.at} />
              </li>
            ))}
          </ul>
          <div className={styles.panels}>
            {data.alerts === null ? null : <AlertsPanel alerts={data.alerts} at={data.at} />}
            <SourcesPanel sources={data.sources} at={data.at} />
            {data.books === null ? null : <BooksPanel books={data.books} at={data.at} />}
          </div>
          <p className={styles.updated}>{t('list.updated', { time: time(today.dataUpdatedAt) })}</p>
        </>
      ) : today.isError ? (
        <ErrorState error={today.error} onRetry={() => void today.refetch()} />
      ) : (
        <SkeletonCards count={3} />
      )}
    </>
  );
}
