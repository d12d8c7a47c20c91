import { useTranslation } from 'react-i18next';
import { useRequirementText } from '@/domain/coupon/coupon-terms';
import { useCouponValue } from '@/domain/coupon/coupon-value';
import { missingFor } from '@/domain/coupon/totals';
import { useFormats } from '@/i18n/format';
import type { Coupon } from '@/lib/api/types';
import { Button } from '@/ui/button';
import { Sheet } from '@/ui/sheet';
import stack from '@/ui/stack.module.css';
import { CouponLine } from './coupon-line';
import styles from './coupon-sheet.module.css';

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
  const requirementText = useRequirementText();
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
      <div className={stack.gap2} role="radiogroup" aria-label={t('put.choose_coupon')}>
        <label className={styles.choice}>
          <input type="radio" name="coupon" checked={chosen === null} onChange={() => onChange(null)} />
          <span className={styles.name}>{t('put.without_coupon')}</span>
        </label>
        {coupons.map((coupon) => {
          const missing = amount === null ? null : missingFor(coupon, amount);
          return (
            <label key={coupon.id} className={styles.choice}>
              <input
                type="radio"
                name="coupon"
                checked={chosen === coupon.id}
                disabled={missing !== null}
                onChange={() => onChange(coupon.id)}
              />
              <CouponLine
                name={coupon.name}
                isUnmet={missing !== null}
                note={
                  missing === null
                    ? requirementText(coupon)
                    : t('put.error.coupon_requirement', {
                        required: money(coupon.amount_requirement),
                        missing: money(missing),
                      })
                }
                value={valueText(coupon)}
              />
            </label>
          );
        })}
      </div>
    </Sheet>
  );
}
