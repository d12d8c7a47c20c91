import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { Badge, type Tone } from '../../ui/badge';

export type PaymentBatch = components['schemas']['PaymentBatch'];

export const BATCH_STATES = ['proposed', 'released', 'paid', 'dissolved'] as const;

const TONES = {
  proposed: 'waiting',
  released: 'info',
  paid: 'good',
  dissolved: 'neutral',
} as const satisfies Record<PaymentBatch['state'], Tone>;

export function BatchState({ state }: { state: PaymentBatch['state'] }) {
  const { t } = useTranslation('console');
  return <Badge tone={TONES[state]}>{t(`payments.states.${state}`)}</Badge>;
}
