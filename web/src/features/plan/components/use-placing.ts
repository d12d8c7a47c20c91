import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useErrorText } from '@/i18n/error-text';
import { useFormats } from '@/i18n/format';
import { ApiError, COUPON_BELOW_REQUIREMENT, hasReason } from '@/lib/api/error';
import type { Coupon, Plan, ProductDetail } from '@/lib/api/types';
import { useIntentionKey } from '@/lib/idempotency';
import { toast } from '@/ui/toast';
import { usePutPlan } from '../api/queries';
import { detailPath, type RefusalPlace, refusalPlace } from '../rules';

type Order = { product: ProductDetail; plan: Plan | null; coupon: Coupon | null };

type Sheet = { isOpen: boolean; close: () => void };

type OnRefused = (place: RefusalPlace, text: string) => void;

/**
 * Places the reviewed order and opens its plan. The idempotency key belongs to the page: after a lost answer, reopening
 * the sheet must repeat the same call. `onRefused` receives refusals that belong to an input.
 */
export function usePlacing({ product, plan, coupon }: Order, sheet: Sheet, onRefused: OnRefused) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const errorText = useErrorText();
  const { money } = useFormats();
  const put = usePutPlan();
  const key = useIntentionKey();
  // Back may have closed the sheet during the call.
  const latest = useRef(sheet);
  latest.current = sheet;

  /** A coupon's requirement, with what is missing; of any other refusal the server's text. */
  const refusalText = (error: unknown) => {
    const missing = hasReason(error, COUPON_BELOW_REQUIREMENT) ? error.missing : null;
    if (!missing || !coupon) return errorText(error);
    const required = money(coupon.amount_requirement);
    return t('put.error.coupon_requirement', { required, missing: money(missing) });
  };

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
      // Replaces the sheet's history entry, so that Back leads to the product and not to a second order.
      navigate(detailPath(placed), { replace: latest.current.isOpen });
    } catch (error) {
      key.settle(error);
      const place = error instanceof ApiError ? refusalPlace(error) : null;
      if (place) {
        onRefused(place, refusalText(error));
        latest.current.close();
      }
      throw error;
    }
  };
}
