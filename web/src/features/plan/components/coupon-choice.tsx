import { ChevronRight, Ticket } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useCouponValue } from '@/domain/coupon/coupon-value';
import type { Coupon } from '@/lib/api/types';
import { useOverlay } from '@/ui/use-overlay';
import styles from './coupon-choice.module.css';
import { CouponLine } from './coupon-line';
import { CouponSheet } from './coupon-sheet';

type Props = {
  coupons: readonly Coupon[];
  coupon: Coupon | null;
  amount: string | null;
  onChange: (id: string | null) => void;
};

export function CouponChoice({ coupons, coupon, amount, onChange }: Props) {
  const { t } = useTranslation();
  const valueText = useCouponValue();
  const sheet = useOverlay('coupon');
  const summary =
    coupons.length === 0 ? t('put.no_coupons') : t('put.coupons_available', { count: coupons.length });
  return (
    <>
      <button
        type="button"
        className={styles.couponButton}
        disabled={coupons.length === 0}
        onClick={sheet.open}
      >
        <Ticket size={20} aria-hidden="true" />
        <CouponLine
          name={t('put.coupon')}
          note={coupon ? coupon.name : summary}
          value={coupon && valueText(coupon)}
        />
        {coupons.length > 0 ? <ChevronRight size={20} aria-hidden="true" /> : <span />}
      </button>
      <CouponSheet
        isOpen={sheet.isOpen}
        onClose={sheet.close}
        coupons={coupons}
        chosen={coupon?.id ?? null}
        amount={amount}
        onChange={onChange}
      />
    </>
  );
}
