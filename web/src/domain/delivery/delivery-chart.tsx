import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { SeriesPoint } from '@/lib/api/types';
import { Skeleton } from '@/ui/states';
import { TabPanel, Tabs } from '@/ui/tabs';

const Chart = lazy(() => import('@/ui/chart/chart'));

const METRICS = ['money', 'impressions', 'clicks'] as const;
type Metric = (typeof METRICS)[number];

const KEYS = {
  money: ['revenue', 'consumed'],
  impressions: ['impressions'],
  clicks: ['clicks'],
} as const satisfies Record<Metric, readonly (keyof SeriesPoint)[]>;

/** Delivery over time: cost and revenue, impressions, or clicks. */
export function DeliveryChart({ points, id }: { points: readonly SeriesPoint[]; id: string }) {
  const { t } = useTranslation();
  const { money, integer } = useFormats();
  const [metric, setMetric] = useState<Metric>('money');
  const keys: readonly ('revenue' | 'consumed' | 'impressions' | 'clicks')[] = KEYS[metric];

  const textAt = (key: string, index: number) => {
    const value = points[index]?.[key as (typeof keys)[number]] ?? 0;
    return typeof value === 'string' ? money(value) : integer(value);
  };
  return (
    <>
      <Tabs
        label={t('chart.metric')}
        panel={id}
        items={METRICS.map((value) => ({ value, label: t(`chart.${value}`) }))}
        value={metric}
        onChange={setMetric}
      />
      <TabPanel id={id} label={t(`chart.${metric}`)}>
        <div style={{ minBlockSize: '264px', paddingBlockStart: 'var(--space-3)' }}>
          <Suspense fallback={<Skeleton height="192px" />}>
            <Chart
              label={t('chart.label', { metric: t(`chart.${metric}`) })}
              times={points.map((point) => point.time)}
              series={keys.map((key) => ({
                key,
                label: t(`figure.${key}`),
                values: points.map((point) => Number(point[key])),
              }))}
              textAt={textAt}
            />
          </Suspense>
        </div>
      </TabPanel>
    </>
  );
}
