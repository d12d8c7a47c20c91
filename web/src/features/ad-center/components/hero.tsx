import { RotateCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { Statistics } from '@/lib/api/types';
import { IconButton } from '@/ui/button';
import { cx } from '@/ui/cx';
import { HeroCaption, HeroPanel } from '@/ui/hero-panel';
import { Money } from '@/ui/money';
import { Skeleton } from '@/ui/states';
import styles from './hero.module.css';

type Props = {
  statistics: Statistics | undefined;
  updatedAt: number;
  isFetching: boolean;
  failed: boolean;
  onRefresh: () => void;
};

/** The profit, then its parts. */
export function Hero({ statistics, updatedAt, isFetching, failed, onRefresh }: Props) {
  const { t } = useTranslation();
  const { time } = useFormats();
  const updated = updatedAt > 0 ? t('common.updated', { time: time(updatedAt) }) : t('common.loading');
  return (
    <HeroPanel aria-label={t('figure.profit')}>
      <div className={styles.top}>
        <HeroCaption>{t('figure.profit')}</HeroCaption>
        <div className={cx(styles.refresh, isFetching && styles.busy)}>
          <span>{failed ? t('ad_center.not_refreshed', { updated }) : updated}</span>
          <IconButton label={t('common.refresh')} onClick={onRefresh}>
            <RotateCw size={18} aria-hidden="true" />
          </IconButton>
        </div>
      </div>
      <div className={styles.profit}>
        {statistics ? (
          <Money value={statistics.profit} signed="result" />
        ) : (
          <Skeleton width="60%" height="1.15em" />
        )}
      </div>
      <dl className={styles.pair}>
        <div>
          <dt>{t('figure.revenue')}</dt>
          <dd>
            {statistics ? <Money value={statistics.revenue} /> : <Skeleton width="70%" height="1.45em" />}
          </dd>
        </div>
        <div>
          <dt>{t('figure.consumed')}</dt>
          <dd>
            {statistics ? <Money value={statistics.consumed} /> : <Skeleton width="70%" height="1.45em" />}
          </dd>
        </div>
      </dl>
    </HeroPanel>
  );
}
