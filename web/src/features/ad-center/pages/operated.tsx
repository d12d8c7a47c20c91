import { useInfiniteQuery } from '@tanstack/react-query';
import { BadgeCheck, Hand, History, Repeat2, UserRoundCheck } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { Follow } from '@/lib/api/types';
import { Badge, Card } from '@/ui/card';
import { CopyButton } from '@/ui/copy-button';
import { usePageHeader } from '@/ui/page-header';
import { QueryList } from '@/ui/query-list';
import { Section } from '@/ui/section';
import stack from '@/ui/stack.module.css';
import { EmptyState, Skeleton } from '@/ui/states';
import { followsQuery } from '../api/account';
import { FollowForm } from '../components/follow-form';
import { currentFollow } from '../rules';
import styles from './operated.module.css';

const POINTS = [
  { key: 'operated.point_push', Icon: UserRoundCheck },
  { key: 'operated.point_decide', Icon: Hand },
  { key: 'operated.point_single', Icon: Repeat2 },
] as const;

/** Follows a proxy operator, who can then propose plans. */
export default function OperatedPage() {
  const { t } = useTranslation();
  const query = useInfiniteQuery(followsQuery);
  const { refetch } = query;
  usePageHeader({ onRefresh: useCallback(() => refetch(), [refetch]) });
  const pages = query.data?.pages;
  const currentId = pages?.[0]?.current_operator_id ?? null;
  const current = currentFollow(pages?.flatMap(({ items }) => items) ?? [], currentId);

  return (
    <div className={stack.gap4}>
      <Card title={t('operated.current')}>
        {query.isPending ? <Skeleton height="3rem" /> : <Current follow={current} currentId={currentId} />}
        <FollowForm hasCurrent={currentId !== null} />
      </Card>
      <Card title={t('operated.title')}>
        <ul className={styles.points}>
          {POINTS.map(({ key, Icon }) => (
            <li key={key}>
              <Icon size={20} aria-hidden="true" />
              {t(key)}
            </li>
          ))}
        </ul>
      </Card>
      <Section title={t('operated.records')}>
        <QueryList
          query={query}
          empty={
            <EmptyState
              icon={<History size={28} />}
              title={t('operated.empty')}
              text={t('operated.empty_text')}
            />
          }
        >
          {(follows) => (
            <ul className={stack.gap3}>
              {follows.map((follow) => (
                <Record key={`${follow.operator_id} ${follow.followed_at}`} follow={follow} />
              ))}
            </ul>
          )}
        </QueryList>
      </Section>
    </div>
  );
}

function Current({ follow, currentId }: { follow: Follow | null; currentId: string | null }) {
  const { t } = useTranslation();
  const { date } = useFormats();
  if (!currentId) {
    return (
      <div className={styles.current}>
        <p className={styles.name}>{t('operated.none')}</p>
        <p className={styles.meta}>{t('operated.none_text')}</p>
      </div>
    );
  }
  return (
    <div className={styles.current}>
      <p className={styles.name}>
        <BadgeCheck size={20} aria-hidden="true" />
        {follow?.operator_name ?? currentId}
      </p>
      {follow ? (
        <p className={styles.meta}>{t('operated.since', { date: date(follow.followed_at) })}</p>
      ) : null}
      <OperatorId id={currentId} />
    </div>
  );
}

function Record({ follow }: { follow: Follow }) {
  const { t } = useTranslation();
  const { date } = useFormats();
  const from = date(follow.followed_at);
  return (
    <li>
      <Card>
        <div className={styles.head}>
          <p className={styles.name}>{follow.operator_name}</p>
          {follow.ended_at ? null : <Badge tone="positive">{t('operated.active')}</Badge>}
        </div>
        <p className={styles.meta}>
          {follow.ended_at
            ? t('operated.until', { from, to: date(follow.ended_at) })
            : t('operated.since', { date: from })}
        </p>
        <OperatorId id={follow.operator_id} />
      </Card>
    </li>
  );
}

function OperatorId({ id }: { id: string }) {
  const { t } = useTranslation();
  return (
    <div className={styles.id}>
      <span>{id}</span>
      <CopyButton text={id} label={t('operated.copy_id')} />
    </div>
  );
}
