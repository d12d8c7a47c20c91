import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX, Clock3, SearchX } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { propertyQuery } from '@/domain/property';
import { useFormats } from '@/i18n/format';
import type { Withdrawal } from '@/lib/api/types';
import { signOf } from '@/lib/money';
import { LinkButton } from '@/ui/button';
import { Badge, Card, Row, Rows } from '@/ui/card';
import { CopyableCode } from '@/ui/copyable-code';
import { cx } from '@/ui/cx';
import { Money } from '@/ui/money';
import { NumberedList } from '@/ui/numbered-list';
import { usePageHeader } from '@/ui/page-header';
import stack from '@/ui/stack.module.css';
import { EmptyState, ErrorState, SkeletonCards } from '@/ui/states';
import { withdrawalQuery } from '../api/queries';
import { arrivesOf, cameBack, STATUS_TONES } from '../withdrawal';
import { CancelWithdrawal } from './cancel-withdrawal';
import { useDestinationLine } from './destination-text';
import styles from './withdrawal-result.module.css';

const ICONS = { pending: Clock3, paid: CircleCheck, rejected: CircleX, cancelled: CircleX } as const;
const NEXT = ['check', 'hold', 'notice'] as const;

/** The state of a withdrawal from its submission on. */
export default function WithdrawalResult({ id }: { id: string }) {
  const { t } = useTranslation();
  const query = useQuery(withdrawalQuery(id));
  const { refetch } = query;
  const currency = useQuery(propertyQuery).data?.currency;
  usePageHeader({ onRefresh: useCallback(() => refetch(), [refetch]) });
  if (query.isPending) return <SkeletonCards count={2} height="14rem" />;
  if (query.isError && !query.data) return <ErrorState error={query.error} onRetry={() => refetch()} />;
  if (!query.data) {
    return <EmptyState icon={<SearchX size={28} />} title={t('withdraw.not_found')} action={<ToRecords />} />;
  }
  return (
    <div className={stack.gap4}>
      <Outcome withdrawal={query.data} currency={currency} />
      <Facts withdrawal={query.data} />
      {query.data.status === 'pending' ? (
        <Card title={t('withdraw.next_title')}>
          <NumberedList>
            {NEXT.map((key) => (
              <li key={key}>{t(`withdraw.next.${key}`)}</li>
            ))}
          </NumberedList>
        </Card>
      ) : null}
      <div className={styles.leave}>
        <CancelWithdrawal withdrawal={query.data} currency={currency} />
        <LinkButton wide large to="/wallet">
          {t('withdraw.to_wallet')}
        </LinkButton>
        <ToRecords />
      </div>
    </div>
  );
}

function ToRecords() {
  const { t } = useTranslation();
  return (
    <LinkButton tone="quiet" to="/wallet/withdraw?view=records">
      {t('withdraw.to_records')}
    </LinkButton>
  );
}

type OutcomeProps = { withdrawal: Withdrawal; currency: string | undefined };

function Outcome({ withdrawal, currency }: OutcomeProps) {
  const { t } = useTranslation();
  const { status, amount, fee } = withdrawal;
  const Icon = ICONS[status];
  return (
    <section className={styles.outcome} aria-label={t(`withdraw.result.${status}`)}>
      <span className={cx(styles.outcomeIcon, styles[status])} aria-hidden="true">
        <Icon size={30} />
      </span>
      <h2>{t(`withdraw.result.${status}`)}</h2>
      <strong className={styles.outcomeAmount}>
        <Money value={cameBack(status) ? amount : arrivesOf(amount, fee)} currency={currency} />
      </strong>
      {status === 'pending' ? null : <p className={styles.muted}>{t(`withdraw.${status}_text`)}</p>}
    </section>
  );
}

function Facts({ withdrawal }: { withdrawal: Withdrawal }) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const line = useDestinationLine();
  const { id, amount, fee, status, reason, time, decided_at, destination, method } = withdrawal;
  return (
    <Card>
      <Rows>
        <Row label={t('withdraw.leaves')}>
          <Money value={amount} />
        </Row>
        <Row label={t('withdraw.fee')}>
          {signOf(fee) === 0 ? t('withdraw.no_fee') : <Money value={fee} />}
        </Row>
        {cameBack(status) ? null : (
          <Row label={t('withdraw.arrives')}>
            <Money value={arrivesOf(amount, fee)} />
          </Row>
        )}
        <Row label={t('withdraw.status_label')}>
          <Badge tone={STATUS_TONES[status]}>{t(`withdraw.status.${status}`)}</Badge>
        </Row>
        <Row label={t('withdraw.to')}>{destination ? line(destination) : t(`withdraw.${method}`)}</Row>
        {reason ? (
          <Row label={t('withdraw.reason')} text>
            {reason}
          </Row>
        ) : null}
        <Row label={t('withdraw.time')}>{dateTime(time)}</Row>
        {decided_at ? <Row label={t('withdraw.decided')}>{dateTime(decided_at)}</Row> : null}
        <Row label={t('withdraw.id')} text>
          <CopyableCode text={id} label={t('withdraw.copy_id')} />
        </Row>
      </Rows>
    </Card>
  );
}
