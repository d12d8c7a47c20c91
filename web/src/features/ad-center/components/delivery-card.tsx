import { ChartSpline } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { SeriesPoint } from '@/lib/api/types';
import { Card } from '@/ui/card';
import { DeliveryChart } from '@/ui/chart/delivery-chart';
import { EmptyState, Skeleton } from '@/ui/states';
import { hasDelivery } from '../rules';

export function DeliveryCard({ series }: { series: readonly SeriesPoint[] | undefined }) {
  const { t } = useTranslation();
  return (
    <Card title={t('ad_center.delivery')}>
      <div style={{ minBlockSize: '308px' }}>
        {series === undefined ? <Skeleton height="308px" /> : null}
        {series && hasDelivery(series) ? <DeliveryChart points={series} id="delivery-chart" /> : null}
        {series && !hasDelivery(series) ? (
          <EmptyState
            icon={<ChartSpline size={28} />}
            title={t('ad_center.no_delivery')}
            text={t('ad_center.no_delivery_text')}
          />
        ) : null}
      </div>
    </Card>
  );
}
