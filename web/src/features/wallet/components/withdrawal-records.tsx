import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronRight, HandCoins } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { Withdrawal } from '@/lib/api/types';
import { LinkButton } from '@/ui/button';
import { Badge, Card } from '@/ui/card';
import { Money } from '@/ui/money';
import { usePageHeader } from '@/ui/page-header';
import { QueryList } from '@/ui/query-list';
import { EmptyState, SkeletonCards } from '@/ui/states';
import { withdrawalListQuery } from '../api/queries';
import { STATUS_TONES } from '../withdrawal';
import { useDestinationLine } from './destination-text';
import styles from './withdrawal-records.module.css';

/** All withdrawals with status and reason of rejection. */
export default function WithdrawalRecords() {
  const { t } = useTranslation();
  const query = useInfiniteQuery(withdrawalListQuery);
  const { refetch } = query;
  usePageHeader({ onRefresh: useCallback(() => refetch(), [refetch]) });
  return (
    <QueryList
      query={query}
      skeleton={<SkeletonCards height="5.5rem" />}
      empty={
        <EmptyState
          icon={<HandCoins size={28} />}
          title={t('withdraw.empty')}
          text={t('withdraw.empty_text')}
          action={
            <LinkButton tone="secondary" to="/wallet/withdraw" replace>
              {t('withdraw.empty_action')}
            </LinkButton>
          }
        />
      }
    >
      {(items) => (
        <Card className={styles.recordCard}>
          <ul>
            {items.map((item) => (
              <Record key={item.id} withdrawal={item} />
            ))}
          </ul>
        </Card>
      )}
    </QueryList>
  );
}

function Record({ withdrawal }: { withdrawal: Withdrawal }) {
  const { t } = useTranslation();
  const { moment } = useFormats();
  const line = useDestinationLine();
  const { id, amount, status, reason, time, destination, method } = withdrawal;
  return (
    <li className={styles.record}>
      <Link className={styles.recordLink} to={`/wallet/withdraw?id=${encodeURIComponent(id)}`}>
        <span className={styles.recordHead}>
          <strong>
            <Money value={amount} />
          </strong>
          <Badge tone={STATUS_TONES[status]}>{t(`withdraw.status.${status}`)}</Badge>
        </span>
        <span className={styles.recordMeta}>{destination ? line(destination) : t(`withdraw.${method}`)}</span>
        <time className={styles.recordMeta} dateTime={time}>
          {moment(time)}
        </time>
        {reason ? <span className={styles.recordReason}>{reason}</span> : null}
      </Link>
      <ChevronRight size={18} aria-hidden="true" />
    </li>
  );
}
