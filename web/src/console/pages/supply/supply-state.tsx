import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { Badge } from '../../ui/badge';

type State = components['schemas']['SupplyState'];

export const SUPPLY_STATES = ['active', 'paused'] as const satisfies readonly State[];

/** Whether plans are placed on a network or a placement. */
export function SupplyState({ state }: { state: State }) {
  const { t } = useTranslation('console');
  return <Badge tone={state === 'active' ? 'good' : 'waiting'}>{t(`supply.states.${state}`)}</Badge>;
}
