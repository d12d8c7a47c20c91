import { lazy, Suspense } from 'react';
import type { SeriesPoint, SeriesStep } from '@/lib/api/types';
import { Skeleton } from '@/ui/states';
import { useDeskPart } from '@/ui/use-desk';

const TabbedChart = lazy(() => import('./tabbed-chart'));
const loadMetrics = () => import('./desk/metric-chart').then(({ load }) => load());

export type DeliveryProps = {
  series: readonly SeriesPoint[];
  /** How long a point is. */
  bucket: SeriesStep;
  /** When the series was fetched. */
  now: number;
  /** Nothing will be added any more, not even to the last point. */
  isOver?: boolean;
  id: string;
};

/** Delivery over time. A desk has room for the choice of two metrics. */
export function DeliveryChart(props: DeliveryProps) {
  const { Part: MetricChart, isAwaited } = useDeskPart(loadMetrics);
  const placeholder = <Skeleton height="308px" />;
  if (isAwaited) return placeholder;
  return (
    <Suspense fallback={placeholder}>
      {MetricChart ? <MetricChart {...props} /> : <TabbedChart {...props} />}
    </Suspense>
  );
}
