import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { Badge, type Tone } from '../../ui/badge';

export type StaffPlan = components['schemas']['StaffPlan'];
export type StaffPlanDetail = components['schemas']['StaffPlanDetail'];
type Status = StaffPlan['status'];

export const STATUSES = [
  'waiting',
  'matching',
  'putting',
  'put_failed',
  'put_finished',
  'waiting_settlement',
  'settled',
] as const satisfies readonly Status[];

const TONES = {
  waiting: 'waiting',
  matching: 'info',
  putting: 'info',
  put_failed: 'bad',
  put_finished: 'waiting',
  waiting_settlement: 'waiting',
  settled: 'good',
} as const satisfies Record<Status, Tone>;

export function PlanStatus({ status }: { status: Status }) {
  const { t } = useTranslation('console');
  return <Badge tone={TONES[status]}>{t(`plans.statuses.${status}`)}</Badge>;
}
