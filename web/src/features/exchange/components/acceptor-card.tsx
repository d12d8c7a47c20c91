import { Building2, Star, UserRound } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { Acceptor } from '@/lib/api/types';
import { Badge } from '@/ui/card';
import { isRated } from '../rules';
import styles from './acceptor-card.module.css';
import { useExact } from './exchange-text';

export function AcceptorHead({ acceptor }: { acceptor: Acceptor }) {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const exact = useExact();
  const Icon = acceptor.kind === 'enterprise' ? Building2 : UserRound;
  const rating = exact(acceptor.rating);
  return (
    <div className={styles.acceptor}>
      <span className={styles.bubble} aria-hidden="true">
        <Icon size={24} />
      </span>
      <div>
        <h3 className={styles.name}>{acceptor.name}</h3>
        <p className={styles.meta}>
          <Badge tone="brand">{t(`exchange.kind.${acceptor.kind}`)}</Badge>
          {isRated(acceptor) ? (
            <span className={styles.rating}>
              <Star size={14} aria-hidden="true" />
              <span aria-hidden="true">{rating}</span>
              <span className="visually-hidden">{t('exchange.rating', { rating })}</span>
            </span>
          ) : null}
          <span>
            {t('exchange.completed', {
              count: acceptor.completed_orders,
              formatted: integer(acceptor.completed_orders),
            })}
          </span>
        </p>
      </div>
    </div>
  );
}
