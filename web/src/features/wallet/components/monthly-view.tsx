import { useQuery } from '@tanstack/react-query';
import { CalendarRange, ChevronRight } from 'lucide-react';
import { lazy, Suspense, useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { propertyQuery } from '@/domain/property';
import { useFormats } from '@/i18n/format';
import type { MonthlyEntry } from '@/lib/api/types';
import { Card, Row, Rows } from '@/ui/card';
import { Money } from '@/ui/money';
import { usePageHeader } from '@/ui/page-header';
import stack from '@/ui/stack.module.css';
import { EmptyState, ErrorState, Skeleton, SkeletonCards } from '@/ui/states';
import { monthlyQuery } from '../api/queries';
import { chartMonths, fundsPath, linesOf, typesOf } from '../rules';
import styles from './monthly-view.module.css';

const Bars = lazy(() => import('@/ui/chart/bars'));

export function MonthlyView() {
  const { t } = useTranslation();
  const query = useQuery(monthlyQuery);
  const { refetch } = query;
  usePageHeader({ onRefresh: useCallback(() => refetch(), [refetch]) });
  if (query.isPending) return <MonthlySkeleton />;
  if (query.isError && !query.data) return <ErrorState error={query.error} onRetry={() => refetch()} />;
  const items = (query.data?.items ?? []).filter((entry) => typesOf(entry).length > 0);
  if (items.length === 0) {
    return (
      <EmptyState icon={<CalendarRange size={28} />} title={t('funds.empty')} text={t('funds.empty_text')} />
    );
  }
  return (
    <div className={stack.gap3}>
      <MonthlyChart items={chartMonths(query.data?.items ?? [])} />
      <ul className={styles.months}>
        {items.map((entry) => (
          <li key={entry.month}>
            <Month entry={entry} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function MonthlySkeleton() {
  return (
    <div className={stack.gap3}>
      <SkeletonCards count={1} height="18.5rem" />
      <SkeletonCards height="12rem" />
    </div>
  );
}

function MonthlyChart({ items }: { items: readonly MonthlyEntry[] }) {
  const { t } = useTranslation();
  const { money } = useFormats();
  return (
    <Card title={t('funds.chart_title')}>
      <div className={styles.chart}>
        <Suspense fallback={<Skeleton height="192px" />}>
          <Bars
            label={t('funds.chart_label')}
            heading={t('funds.month')}
            months={items.map(({ month }) => month)}
            series={(['income', 'expense'] as const).map((key) => ({
              key,
              label: t(`funds.${key}`),
              values: items.map((entry) => Number(entry[key])),
            }))}
            textAt={(key, index) => money(items[index]?.[key as 'income' | 'expense'] ?? '0')}
          />
        </Suspense>
      </div>
    </Card>
  );
}

function Month({ entry }: { entry: MonthlyEntry }) {
  const { t } = useTranslation();
  const { month } = useFormats();
  const currency = useQuery(propertyQuery).data?.currency;
  const name = month(entry.month);
  return (
    <Card>
      <div className={styles.monthHead}>
        <h2>
          <Link className={styles.monthLink} to={fundsPath('available', { month: entry.month })}>
            {name}
            <ChevronRight size={18} aria-hidden="true" />
          </Link>
        </h2>
        <span className={styles.net}>
          <Money value={entry.net} signed="movement" currency={currency} />
        </span>
      </div>
      <Rows>
        {linesOf(entry).map(({ key, amount }) => (
          <Row key={key} label={t(`funds.line.${key}`)}>
            <Money value={amount} signed="movement" />
          </Row>
        ))}
      </Rows>
      <details className={styles.types}>
        <summary>{t('funds.by_type')}</summary>
        <Rows>
          {typesOf(entry).map(({ type, amount }) => (
            <Row
              key={type}
              label={
                <Link className={styles.typeLink} to={fundsPath('available', { type, month: entry.month })}>
                  {t(`flow.${type}`)}
                  <ChevronRight size={16} aria-hidden="true" />
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
