import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { SeriesPoint, SeriesStep } from '@/lib/api/types';
import Chart from '@/ui/chart/chart';
import { loadChartTexts } from '../../i18n';

const HEIGHT_PX = 220;
const SHOWN = ['consumed', 'revenue'] as const;

type Props = {
  points: readonly SeriesPoint[];
  bucket: SeriesStep;
  /** Whether the last point still grows. */
  isOpen: boolean;
};

/** What was consumed and earned over time. The table below it has the figures. */
function DeliveryChart({ points, bucket, isOpen }: Props) {
  const { t } = useTranslation('console');
  const { money } = useFormats();
  return (
    <Chart
      label={t('plans.chart')}
      times={points.map(({ time }) => time)}
      bucket={bucket}
      isOpen={isOpen}
      height={HEIGHT_PX}
      series={SHOWN.map((key) => ({
        key,
        label: t(`plans.${key}`),
        // The place on the chart alone; the text is exact.
        values: points.map((point) => Number(point[key])),
      }))}
      textAt={(key, index) => money(points[index]?.[key as (typeof SHOWN)[number]] ?? '0')}
    />
  );
}

/** The chart with the texts that it brings from the app. */
export async function load(): Promise<{ default: typeof DeliveryChart }> {
  await loadChartTexts();
  return { default: DeliveryChart };
}
