import { useTranslation } from 'react-i18next';
import type { ExchangeOffer } from '@/lib/api/types';
import { Row } from '@/ui/card';
import { useExact } from './exchange-text';
import styles from './rate-row.module.css';

type Props = { terms: Pick<ExchangeOffer, 'rate' | 'currency'>; wallet: string };

export function RateRow({ terms: { rate, currency }, wallet }: Props) {
  const { t } = useTranslation();
  const exact = useExact();
  return (
    <Row label={t('exchange.rate')}>
      <span className={styles.rate}>{t('exchange.rate_text', { wallet, rate: exact(rate), currency })}</span>
    </Row>
  );
}
