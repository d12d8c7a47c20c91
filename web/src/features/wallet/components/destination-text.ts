import { useTranslation } from 'react-i18next';
import type { Destination } from '@/lib/api/types';

type Texts = { title: string; account: string };

/** A destination's name and masked account. */
export function destinationTexts(destination: Destination): Texts {
  return destination.kind === 'bank_card'
    ? { title: destination.card_name, account: destination.bank_account }
    : { title: destination.network, account: destination.address };
}

/** A destination in one line. */
export function useDestinationLine(): (destination: Destination | null) => string {
  const { t } = useTranslation();
  return (destination) => {
    if (!destination) return t('withdraw.not_bound');
    const { title, account } = destinationTexts(destination);
    return `${title} ${account}`;
  };
}
