import { useTranslation } from 'react-i18next';
import type { PlanStatus } from '@/lib/api/types';
import { Badge } from '@/ui/card';
import { STATUS_TONES } from '../rules';

export function StatusBadge({ status }: { status: PlanStatus }) {
  const { t } = useTranslation();
  return <Badge tone={STATUS_TONES[status]}>{t(`plan.status.${status}`)}</Badge>;
}
