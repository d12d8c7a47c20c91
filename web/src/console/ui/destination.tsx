import { useTranslation } from 'react-i18next';
import type { Destination as WithdrawalDestination } from '@/lib/api/types';

/** Where the money goes, as far as staff may see it: the account is masked. */
export function Destination({ destination }: { destination: WithdrawalDestination | null }) {
  const { t } = useTranslation('console');
  return destination === null ? t('list.none') : destinationText(destination);
}

export function destinationText(destination: WithdrawalDestination | null): string {
  if (destination === null) return '';
  const { kind: _kind, ...parts } = destination;
  return Object.values(parts)
    .filter((part) => part !== '')
    .join(' · ');
}
