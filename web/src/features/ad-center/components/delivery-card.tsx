import { ChartSpline } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { DeliveryChart } from '@/domain/delivery/delivery-chart';
import type { SeriesPoint } from '@/lib/api/types';
import { BelowFold } from '@/ui/below-fold';
import { Card } from '@/ui/card';
import { EmptyState, Skeleton } from '@/ui/states';
import { hasDelivery } from '../rules';

export function DeliveryCard({ series }: { series: readonly SeriesPoint[] | undefined }) {
  const { t } = useTranslation();
  const placeholder = <Skeleton height="308px" />;
  return (
    <Card title={t('ad_center.delivery')}>
      <div style={{ minBlockSize: '308px' }}>
        {series === undefined ? placeholder : null}
        {series && hasDelivery(series) ? (
          <BelowFold placeholder={placeholder}>
            <DeliveryChart points={series} id="delivery-chart" />
          </BelowFold>
        ) : null}
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
