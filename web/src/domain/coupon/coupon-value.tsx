import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { Coupon } from '@/lib/api/types';
import { percentText } from './totals';

type Benefit = Pick<Coupon, 'mode' | 'value'>;

/** A coupon's value in a few characters: `10% off`, `−20.00`, `+50.00`. */
export function useCouponValue(): (benefit: Benefit) => string {
  const { t } = useTranslation();
  const { money, decimal } = useFormats();
  return ({ mode, value }) =>
    mode === 'discount'
      ? t('coupon.value.discount', { percent: decimal(percentText(value)) })
      : t(`coupon.value.${mode}`, { amount: money(value) });
}
