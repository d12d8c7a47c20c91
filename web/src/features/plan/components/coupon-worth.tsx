import { useFormats } from '@/i18n/format';
import type { Coupon } from '@/lib/api/types';
import { subtract } from '@/lib/money';
import { cx } from '@/ui/cx';
import styles from './coupon-worth.module.css';

/** What a coupon is worth: an addition raises the budget, every other coupon lowers the price. */
export function CouponWorth({ coupon, worth }: { coupon: Coupon; worth: string }) {
  const { signedMoney } = useFormats();
  return (
    <span className={cx('figure', styles.worth)}>
      {signedMoney(coupon.mode === 'addition' ? worth : subtract('0', worth))}
    </span>
  );
}
