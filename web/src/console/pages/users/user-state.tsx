import { useTranslation } from 'react-i18next';
import type { UserInfo } from '@/lib/api/types';
import { Badge, type Tone } from '../../ui/badge';

export const USER_STATES = ['active', 'not_activated', 'disabled', 'cancelled'] as const;

const TONES = {
  active: 'good',
  not_activated: 'waiting',
  disabled: 'bad',
  cancelled: 'neutral',
} as const satisfies Record<UserInfo['state'], Tone>;

export function UserState({ state }: { state: UserInfo['state'] }) {
  const { t } = useTranslation('console');
  return <Badge tone={TONES[state]}>{t(`users.states.${state}`)}</Badge>;
}
