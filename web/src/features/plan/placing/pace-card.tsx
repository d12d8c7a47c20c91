import type { UseQueryResult } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { PlanPace } from '@/lib/api/types';
import { Skeleton } from '@/ui/states';
import styles from './pace-card.module.css';
import { QueryCard } from './query-card';

const BandChart = lazy(() => import('@/ui/chart/band-chart'));

/** Shown of the future. */
const NO_FIGURE = '–';

const KEYS = { actual: 'spent', planned: 'planned', low: 'low', high: 'high' } as const;

/** Whether a plan is spent as planned. */
export function PaceCard({ query }: { query: UseQueryResult<PlanPace> }) {
  const { t } = useTranslation();
  return (
    <QueryCard title={t('placing.pace.title')} query={query} height="23rem">
      {(pace) => <Pace pace={pace} now={query.dataUpdatedAt} />}
    </QueryCard>
  );
}

function Pace({ pace: { state, series, bucket }, now }: { pace: PlanPace; now: number }) {
  const { t } = useTranslation();
  const { dateTime, money } = useFormats();
  if (state === 'not_paced') return null;
  return (
    <>
      <p className={styles.state}>{t(`placing.pace.state.${state}`)}</p>
      <p className={styles.text}>{t(`placing.pace.text.${state}`)}</p>
      <Suspense fallback={<Skeleton height="268px" />}>
        <BandChart
          label={t('chart.label', { metric: t('placing.pace.title') })}
          points={series.map(({ time, spent, planned, low, high }) => ({
            time,
            actual: spent === null ? null : Number(spent),
            planned: Number(planned),
            low: Number(low),
            high: Number(high),
          }))}
          bucket={bucket}
          now={now}
          names={{
            actual: t('placing.pace.spent'),
            planned: t('placing.pace.planned'),
            low: t('placing.pace.low'),
            high: t('placing.pace.high'),
            band: t('placing.pace.band'),
          }}
          heading={t('placing.pace.until')}
          timeAt={(index) => dateTime(series[index]?.time ?? '')}
          textAt={(line, index) => {
            const value = series[index]?.[KEYS[line]] ?? null;
            return value === null ? NO_FIGURE : money(value);
          }}
        />
      </Suspense>
    </>
  );
}
