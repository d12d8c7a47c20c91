import { ChartSpline } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { DeliveryChart } from '@/domain/delivery/delivery-chart';
import type { Statistics } from '@/lib/api/types';
import { BelowFold } from '@/ui/below-fold';
import { Card } from '@/ui/card';
import { EmptyState, Skeleton } from '@/ui/states';
import { hasDelivery } from '../rules';

type Props = { statistics: Statistics | undefined; fetchedAt: number };

export function DeliveryCard({ statistics, fetchedAt }: Props) {
  const { t } = useTranslation();
  const placeholder = <Skeleton height="308px" />;
  return (
    <Card title={t('ad_center.delivery')}>
      <div style={{ minBlockSize: '308px' }}>
        {statistics === undefined ? placeholder : null}
        {statistics && hasDelivery(statistics.series) ? (
          <BelowFold placeholder={placeholder}>
            <DeliveryChart
              series={statistics.series}
              bucket={statistics.bucket}
              now={fetchedAt}
              id="delivery-chart"
            />
          </BelowFold>
        ) : null}
        {statistics && !hasDelivery(statistics.series) ? (
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
