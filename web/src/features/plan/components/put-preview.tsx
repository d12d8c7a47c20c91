import { useTranslation } from 'react-i18next';
import { meetsRequirement, putTotals } from '@/domain/coupon/totals';
import type { Coupon } from '@/lib/api/types';
import { signOf } from '@/lib/money';
import { Money } from '@/ui/money';
import { CouponWorth } from './coupon-worth';
import styles from './put-preview.module.css';

type Props = {
  amount: string | null;
  coupon: Coupon | null;
  available: string | undefined;
  currency: string | undefined;
};

/** The totals of the typed amount and the chosen coupon. */
export function PutPreview({ amount, coupon, available, currency }: Props) {
  const { t } = useTranslation();
  const counts = coupon !== null && amount !== null && meetsRequirement(coupon, amount);
  const totals = amount === null ? null : putTotals(amount, counts ? coupon : null);
  return (
    <dl className={styles.preview}>
      {coupon && counts && totals && signOf(totals.worth) > 0 ? (
        <div>
          <dt>{coupon.name}</dt>
          <dd>
            <CouponWorth coupon={coupon} worth={totals.worth} />
          </dd>
        </div>
      ) : null}
      <div>
        <dt>{t('put.you_pay')}</dt>
        <dd>{totals ? <Money value={totals.paid} /> : '–'}</dd>
      </div>
      <div>
        <dt>{t('put.budget')}</dt>
        <dd>{totals ? <Money value={totals.budget} /> : '–'}</dd>
      </div>
      <div className={styles.balance}>
        <dt>{t('wallet.available_funds')}</dt>
        <dd>{available === undefined ? '…' : <Money value={available} currency={currency} />}</dd>
      </div>
    </dl>
  );
}
