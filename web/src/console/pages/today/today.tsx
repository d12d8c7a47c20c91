import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useErrorText } from '@/i18n/error-text';
import { useFormats } from '@/i18n/format';
import { cx } from '@/ui/cx';
import { Skeleton } from '@/ui/states';
import { consoleKeys } from '../../api/keys';
import { useStaff } from '../../session/use-staff';
import { Moment } from '../../ui/moment';
import { PageHead } from '../../ui/page-head';
import { type Queue, queuesFor } from './queues';
import styles from './today.module.css';

/** How often the queues are counted while somebody looks. */
const COUNTED_EVERY_MS = 30_000;

/** What waits for a person, each with its age, and the way to where it is decided. */
export default function TodayPage() {
  const { t } = useTranslation('console');
  const { role } = useStaff();
  return (
    <>
      <PageHead title={t('today.title')} />
      <ul className={styles.queues}>
        {queuesFor(role).map((queue) => (
          <li key={queue.id}>
            <QueueCard queue={queue} />
          </li>
        ))}
      </ul>
    </>
  );
}

function QueueCard({ queue }: { queue: Queue }) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  const errorText = useErrorText();
  const waiting = useQuery({
    queryKey: consoleKeys.list(queue.path, { counted: queue.id }),
    queryFn: ({ signal }) => queue.count(signal),
    refetchInterval: COUNTED_EVERY_MS,
  });
  const { data } = waiting;
  return (
    <Link className={styles.queue} to={queue.to}>
      <span>{t(queue.label)}</span>
      {data ? (
        <>
          <span className={cx('figure', styles.count, data.count === 0 && styles.idle)}>
            {t(data.isMore ? 'today.more_than' : 'today.count', { formatted: integer(data.count) })}
          </span>
          <span className={styles.age}>
            {data.oldest ? (
              <>
                {t('today.oldest')} <Moment at={data.oldest} />
              </>
            ) : data.count === 0 ? (
              t('today.nothing')
            ) : null}
          </span>
        </>
      ) : waiting.isError ? (
        <span className={styles.age}>{errorText(waiting.error)}</span>
      ) : (
        <Skeleton width="40%" height="1.75rem" />
      )}
    </Link>
  );
}
