import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { withDeskTexts } from '@/i18n/desk-texts';
import { useFormats } from '@/i18n/format';
import Chart from '@/ui/chart/chart';
import { Select } from '@/ui/select';
import { useQueryPatch } from '@/ui/use-query-patch';
import type { DeliveryProps } from '../delivery-chart';
import { pointsUntil } from '../series';
import styles from './metric-chart.module.css';
import { chosenMetrics, METRICS, type Metric, NONE, unitOf } from './metrics';

const HEIGHT_PX = 260;

/** Delivery over time by two metrics of choice. Different units have an axis each. The choice is in the URL. */
function MetricChart({ series, bucket, now, isOver = false }: DeliveryProps) {
  const { t } = useTranslation();
  const { money, integer, list } = useFormats();
  const { first, second } = chosenMetrics(useSearchParams()[0]);
  const patch = useQueryPatch();
  const { points, isOpen } = pointsUntil(series, bucket, now);
  const keys: Metric[] = second === NONE ? [first] : [first, second];
  const others: (Metric | typeof NONE)[] = [...METRICS.filter((key) => key !== first), NONE];
  const nameOf = (key: Metric | typeof NONE) => (key === NONE ? t('desk.no_metric') : t(`figure.${key}`));

  const choose = (choice: { first: string } | { second: string }) =>
    patch((query) => {
      const before = chosenMetrics(query);
      const next = { ...before, ...choice };
      // A metric is not compared with itself: the other one takes its place.
      return { first: next.first, second: next.first === next.second ? before.first : next.second };
    });
  const textAt = (key: string, index: number) => {
    const value = points[index]?.[key as Metric] ?? 0;
    return typeof value === 'string' ? money(value) : integer(value);
  };
  return (
    <>
      <div className={styles.choices}>
        <Select
          label={t('desk.first_metric')}
          value={first}
          options={METRICS.map((value) => ({ value, label: nameOf(value) }))}
          onChange={(value) => choose({ first: value })}
        />
        <Select
          label={t('desk.second_metric')}
          value={second}
          options={others.map((value) => ({
            value,
            label: nameOf(value),
          }))}
          onChange={(value) => choose({ second: value })}
        />
      </div>
      <Chart
        label={t('desk.chart_label', { metrics: list(keys.map(nameOf)) })}
        times={points.map((point) => point.time)}
        bucket={bucket}
        isOpen={isOpen && !isOver}
        height={HEIGHT_PX}
        series={keys.map((key) => ({
          key,
          label: nameOf(key),
          unit: unitOf(key),
          values: points.map((point) => Number(point[key])),
        }))}
        textAt={textAt}
      />
    </>
  );
}

export const load = withDeskTexts(MetricChart);
