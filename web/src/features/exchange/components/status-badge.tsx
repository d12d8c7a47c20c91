import { useTranslation } from 'react-i18next';
import type { ExchangeStatus } from '@/lib/api/types';
import { Badge } from '@/ui/card';
import { STATUS_TONES } from '../rules';

export function StatusBadge({ status }: { status: ExchangeStatus }) {
  const { t } = useTranslation();
  return <Badge tone={STATUS_TONES[status]}>{t(`exchange.status.${status}`)}</Badge>;
}
