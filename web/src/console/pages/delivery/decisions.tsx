import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import { Badge, type Tone } from '../../ui/badge';

export type DeliveryImport = components['schemas']['DeliveryImport'];
export type QuarantinedReport = components['schemas']['QuarantinedReport'];
export type NotableRow = components['schemas']['NotableRow'];
export type RejectedRow = components['schemas']['RejectedRow'];
export type ImportTotals = components['schemas']['ImportTotals'];

export const IMPORT_STATES = ['proposed', 'released', 'rejected', 'expired'] as const;
export const QUARANTINE_STATES = ['waiting', 'approved', 'released', 'rejected'] as const;

const TONES = {
  proposed: 'waiting',
  waiting: 'waiting',
  approved: 'info',
  released: 'good',
  rejected: 'bad',
  expired: 'neutral',
} as const satisfies Record<DeliveryImport['state'] | QuarantinedReport['state'], Tone>;

/** The state of an import or of a report in quarantine. */
export function DeliveryState({ state }: { state: DeliveryImport['state'] | QuarantinedReport['state'] }) {
  const { t } = useTranslation('console');
  return <Badge tone={TONES[state]}>{t(`delivery.states.${state}`)}</Badge>;
}

/** An amount of reports, which may have fractions of a cent. */
export function FineAmount({ value }: { value: string }) {
  const { fineMoney } = useFormats();
  return <span className="figure">{fineMoney(value)}</span>;
}
