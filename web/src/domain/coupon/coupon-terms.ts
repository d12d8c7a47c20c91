import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { Coupon } from '@/lib/api/types';
import { signOf } from '@/lib/money';

/** The put amount from which a coupon can be used. */
export function useRequirementText(): (coupon: Pick<Coupon, 'amount_requirement'>) => string {
  const { t } = useTranslation();
  const { money } = useFormats();
  return ({ amount_requirement }) =>
    signOf(amount_requirement) > 0
      ? t('coupon.from_amount', { amount: money(amount_requirement) })
      : t('coupon.any_amount');
}
