import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useErrorText } from '@/i18n/error-text';
import { ApiError } from '@/lib/api/error';
import type { Coupon, Plan, ProductDetail } from '@/lib/api/types';
import { useIntentionKey } from '@/lib/idempotency';
import { toast } from '@/ui/toast';
import { usePutPlan } from '../api/queries';
import { type RefusalPlace, refusalPlace } from '../rules';

type Order = { product: ProductDetail; plan: Plan | null; coupon: Coupon | null };

type Sheet = { isOpen: boolean; close: () => void };

type OnRefused = (place: RefusalPlace, text: string) => void;

/**
 * Places what was reviewed and leads to the plan. The key belongs to the page, not to the sheet: after a lost answer the
 * sheet may be closed and opened again, and it is still the same call. `onRefused` hears of what belongs to an input.
 */
export function usePlacing({ product, plan, coupon }: Order, sheet: Sheet, onRefused: OnRefused) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const errorText = useErrorText();
  const put = usePutPlan();
  const key = useIntentionKey();
  // The device's Back may have closed the sheet while the call was on its way.
  const latest = useRef(sheet);
  latest.current = sheet;

  return async (amount: string) => {
    const body = {
      ...(plan ? { plan_id: plan.id } : { product_id: product.id }),
      amount,
      ...(coupon ? { user_coupon_id: coupon.id } : {}),
    };
    try {
      const placed = await put.mutateAsync({ body, key: key.for(body) });
      key.settle(null);
      toast(t('put.success'));
      // Takes the place of the sheet's entry in the history: Back leads to the product, not to a second put.
      const to = `/plan/detail?id=${encodeURIComponent(placed.id)}`;
      navigate(to, { replace: latest.current.isOpen });
    } catch (error) {
      key.settle(error);
      const place = error instanceof ApiError ? refusalPlace(error) : null;
      if (place) {
        onRefused(place, errorText(error));
        latest.current.close();
      }
      throw error;
    }
  };
}
