import { useTranslation } from 'react-i18next';
import { useCouponValue } from '@/domain/coupon/coupon-value';
import { meetsRequirement } from '@/domain/coupon/totals';
import { useFormats } from '@/i18n/format';
import type { Coupon } from '@/lib/api/types';
import { Button } from '@/ui/button';
import { cx } from '@/ui/cx';
import { Sheet } from '@/ui/sheet';
import styles from '../pages/product-detail.module.css';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  coupons: readonly Coupon[];
  chosen: string | null;
  amount: string | null;
  onChange: (id: string | null) => void;
};

export function CouponSheet({ isOpen, onClose, coupons, chosen, amount, onChange }: Props) {
  const { t } = useTranslation();
  const { money } = useFormats();
  const valueText = useCouponValue();
  return (
    <Sheet
      isOpen={isOpen}
      onClose={onClose}
      title={t('put.choose_coupon')}
      footer={
        <Button wide large onClick={onClose}>
          {t('common.confirm')}
        </Button>
      }
    >
      <div className={styles.choices} role="radiogroup" aria-label={t('put.choose_coupon')}>
        <label className={styles.choice}>
          <input type="radio" name="coupon" checked={chosen === null} onChange={() => onChange(null)} />
          <span className={styles.name}>{t('put.without_coupon')}</span>
        </label>
        {coupons.map((coupon) => {
          const usable = amount === null || meetsRequirement(coupon, amount);
          return (
            <label key={coupon.id} className={styles.choice}>
              <input
                type="radio"
                name="coupon"
                checked={chosen === coupon.id}
                disabled={!usable}
                onChange={() => onChange(coupon.id)}
              />
              <span className={styles.choiceText}>
                <span>
                  <span className={styles.name}>{coupon.name}</span>
                  <span className={cx(styles.choiceMeta, !usable && styles.unmet)}>
                    {usable
                      ? t('coupon.from_amount', { amount: money(coupon.amount_requirement) })
                      : t('put.error.coupon_requirement', { required: money(coupon.amount_requirement) })}
                  </span>
                </span>
                <span className={cx('figure', styles.couponValue)}>{valueText(coupon)}</span>
              </span>
            </label>
          );
        })}
      </div>
    </Sheet>
  );
}
