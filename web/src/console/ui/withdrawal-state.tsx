import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { Badge, type Tone } from './badge';

type State = components['schemas']['WithdrawalStatus'];

const TONES = {
  pending: 'waiting',
  paid: 'good',
  rejected: 'bad',
  cancelled: 'neutral',
} as const satisfies Record<State, Tone>;

export function WithdrawalState({ status }: { status: State }) {
  const { t } = useTranslation('console');
  return <Badge tone={TONES[status]}>{t(`withdrawals.states.${status}`)}</Badge>;
}
