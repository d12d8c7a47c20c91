import { useInfiniteQuery } from '@tanstack/react-query';
import { Layers } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { hasRange, movementsPath } from '@/domain/statistics/figure';
import { RANGES } from '@/domain/statistics/range';
import { useFormats } from '@/i18n/format';
import type { PlanFigure } from '@/lib/api/types';
import { LinkButton } from '@/ui/button';
import { usePageHeader } from '@/ui/page-header';
import { QueryList } from '@/ui/query-list';
import { EmptyState, Skeleton, SkeletonCards } from '@/ui/states';
import { useChoice } from '@/ui/use-choice';
import { figureListQuery } from '../api/queries';
import styles from './figure-plans.module.css';
import { PlanCards } from './plan-cards';

/** The plans that a figure of ad centre or wallet counts, below their sum. */
export function FigurePlans({ figure }: { figure: PlanFigure }) {
  const { t } = useTranslation();
  const { integer, money } = useFormats();
  const [range] = useChoice('range', RANGES);
  const query = useInfiniteQuery(figureListQuery(figure, range));
  const { refetch } = query;
  usePageHeader({ isDetail: true, onRefresh: useCallback(() => refetch(), [refetch]) });
  const movements = movementsPath(figure);
  const sum = query.data?.pages[0]?.sum ?? null;
  const sumText = typeof sum === 'number' ? integer(sum) : sum && money(sum);

  return (
    <>
      <div className={styles.head}>
        <div className={styles.text}>
          <p className={styles.sum}>
            {sumText === null && !query.isError ? (
              <Skeleton width="12rem" height="1.45em" />
            ) : (
              t('plan.figure_sum', { figure: t(`figure.${figure}`), sum: sumText ?? '–' })
            )}
          </p>
          {hasRange(figure) ? <p className={styles.range}>{t(`ad_center.range.${range}`)}</p> : null}
        </div>
        <nav className={styles.links} aria-label={t(`figure.${figure}`)}>
          {movements ? (
            <Link className={styles.link} to={movements}>
              {t('title.fund_details')}
            </Link>
          ) : null}
          <Link className={styles.link} to="/plan">
            {t('plan.figure_all')}
          </Link>
        </nav>
      </div>
      <QueryList
        query={query}
        skeleton={<SkeletonCards height="12rem" />}
        empty={
          <EmptyState
            icon={<Layers size={28} />}
            title={t('plan.empty_filtered')}
            text={t('plan.figure_empty')}
            action={
              <LinkButton tone="secondary" to="/plan?products=open">
                {t('plan.new')}
              </LinkButton>
            }
          />
        }
      >
        {(plans) => <PlanCards plans={plans} />}
      </QueryList>
    </>
  );
}
