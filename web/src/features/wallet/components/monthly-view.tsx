import { useQuery } from '@tanstack/react-query';
import { CalendarRange } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { MonthlyEntry } from '@/lib/api/types';
import { Card, Row, Rows } from '@/ui/card';
import { Money } from '@/ui/money';
import { EmptyState, ErrorState, SkeletonCards } from '@/ui/states';
import { monthlyQuery } from '../api/queries';
import styles from '../pages/fund-details.module.css';
import { isFlowType, typesOf } from '../rules';

export function MonthlyView() {
  const { t } = useTranslation();
  const query = useQuery(monthlyQuery);
  if (query.isPending) return <SkeletonCards height="9rem" />;
  if (query.isError && !query.data) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  const items = (query.data?.items ?? []).filter((entry) => typesOf(entry).length > 0);
  if (items.length === 0) {
    return (
      <EmptyState icon={<CalendarRange size={28} />} title={t('funds.empty')} text={t('funds.empty_text')} />
    );
  }
  return (
    <ul className={styles.months}>
      {items.map((entry) => (
        <li key={entry.month}>
          <Month entry={entry} />
        </li>
      ))}
    </ul>
  );
}

function Month({ entry }: { entry: MonthlyEntry }) {
  const { t } = useTranslation();
  const { month } = useFormats();
  return (
    <Card>
      <div className={styles.monthHead}>
        <h2>{month(entry.month)}</h2>
        <span className={styles.net}>
          <Money value={entry.net} signed="movement" />
        </span>
      </div>
      <dl className={styles.flows}>
        <div>
          <dt>{t('funds.income')}</dt>
          <dd>
            <Money value={entry.income} />
          </dd>
        </div>
        <div>
          <dt>{t('funds.expense')}</dt>
          <dd>
            <Money value={entry.expense} />
          </dd>
        </div>
      </dl>
      <details className={styles.types}>
        <summary>{t('funds.by_type')}</summary>
        <Rows>
          {typesOf(entry).map(({ type, amount }) => (
            <Row
              key={type}
              label={
                <Link
                  className={styles.typeLink}
                  to={`/wallet/fund-details?type=${type}&month=${entry.month}`}
                >
                  {isFlowType(type) ? t(`flow.${type}`) : type}
                </Link>
              }
            >
              <Money value={amount} signed="movement" />
            </Row>
          ))}
        </Rows>
      </details>
    </Card>
  );
}
