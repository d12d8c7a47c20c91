import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useCouponValue } from '@/domain/coupon/coupon-value';
import { useFormats } from '@/i18n/format';
import type { Coupon } from '@/lib/api/types';
import { signOf } from '@/lib/money';
import { cx } from '@/ui/cx';
import styles from '../pages/coupons.module.css';
import { expiresSoon } from '../rules';

export function CouponTicket({ coupon }: { coupon: Coupon }) {
  const { t } = useTranslation();
  const { money } = useFormats();
  const valueText = useCouponValue();
  return (
    <li className={cx(styles.ticket, coupon.state !== 'unused' && styles.over)}>
      <div className={styles.stub}>
        <span className={styles.value}>{valueText(coupon)}</span>
        <span className={styles.mode}>{t(`coupon.mode.${coupon.mode}`)}</span>
      </div>
      <div className={styles.info}>
        <p className={styles.name}>{coupon.name}</p>
        <p className={styles.meta}>
          {signOf(coupon.amount_requirement) > 0
            ? t('coupon.from_amount', { amount: money(coupon.amount_requirement) })
            : t('coupon.any_amount')}
        </p>
        <Ending coupon={coupon} />
      </div>
    </li>
  );
}

function Ending({ coupon }: { coupon: Coupon }) {
  const { t } = useTranslation();
  const { date } = useFormats();
  if (coupon.state === 'used') {
    return (
      <div className={styles.foot}>
        {coupon.used_at ? (
          <span className={styles.meta}>{t('coupon.used_at', { date: date(coupon.used_at) })}</span>
        ) : null}
        {coupon.plan_id ? (
          <Link className={styles.link} to={`/plan/detail?id=${encodeURIComponent(coupon.plan_id)}`}>
            {t('coupon.see_plan')}
          </Link>
        ) : null}
      </div>
    );
  }
  const soon = coupon.state === 'unused' && expiresSoon(coupon.expires_at, new Date());
  return (
    <p className={cx(styles.meta, soon && styles.soon)}>
      {t(coupon.state === 'expired' ? 'coupon.expired_at' : 'coupon.expires_at', {
        date: date(coupon.expires_at),
      })}
    </p>
  );
}
