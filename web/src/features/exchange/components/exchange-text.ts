import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { basicConfigQuery } from '@/domain/basic-config';
import { numbers } from '@/i18n/format';
import { localeOf } from '@/i18n/languages';
import type { ExchangeOffer } from '@/lib/api/types';
import { leavesWallet } from '../rules';

/** The platform's settings for exchanges. */
export function usePlatform() {
  const { i18n } = useTranslation();
  return useQuery(basicConfigQuery(i18n.language)).data;
}

/** Formats a decimal with exactly its own decimals: rates have up to eight, currencies up to four. */
export function useExact(): (value: string) => string {
  const { i18n } = useTranslation();
  return (value) => {
    const decimals = value.split('.')[1]?.length ?? 0;
    const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    return numbers(localeOf(i18n.language), options)(value);
  };
}

export type Side = { amount: string; currency: string };

type Sided = Pick<ExchangeOffer, 'direction' | 'currency'>;

/** What the user gives and gets. Either side can be the wallet's. */
export function sidesOf(
  terms: Sided,
  amount: string,
  counter: string,
  wallet: string,
): { give: Side; get: Side } {
  const own = { amount, currency: wallet };
  const other = { amount: counter, currency: terms.currency };
  return leavesWallet(terms) ? { give: own, get: other } : { give: other, get: own };
}
