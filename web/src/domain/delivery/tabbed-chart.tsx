import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { SeriesPoint } from '@/lib/api/types';
import Chart from '@/ui/chart/chart';
import { TabPanel, Tabs } from '@/ui/tabs';
import type { DeliveryProps } from './delivery-chart';
import { pointsUntil } from './series';

const METRICS = ['money', 'impressions', 'clicks'] as const;
type Metric = (typeof METRICS)[number];

const KEYS = {
  money: ['revenue', 'consumed'],
  impressions: ['impressions'],
  clicks: ['clicks'],
} as const satisfies Record<Metric, readonly (keyof SeriesPoint)[]>;

/** Cost and revenue, impressions, or clicks. */
export default function TabbedChart({ series, bucket, now, isOver = false, id }: DeliveryProps) {
  const { t } = useTranslation();
  const { money, integer } = useFormats();
  const [metric, setMetric] = useState<Metric>('money');
  const keys: readonly ('revenue' | 'consumed' | 'impressions' | 'clicks')[] = KEYS[metric];
  const { points, isOpen } = pointsUntil(series, bucket, now);

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
          <Chart
            label={t('chart.label', { metric: t(`chart.${metric}`) })}
            times={points.map((point) => point.time)}
            bucket={bucket}
            isOpen={isOpen && !isOver}
            series={keys.map((key) => ({
              key,
              label: t(`figure.${key}`),
              values: points.map((point) => Number(point[key])),
            }))}
            textAt={textAt}
          />
        </div>
      </TabPanel>
    </>
  );
}
