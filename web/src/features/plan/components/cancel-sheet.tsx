import { useTranslation } from 'react-i18next';
import { CancelDialog } from '@/domain/cancel-dialog';
import { useFormats } from '@/i18n/format';
import type { PlanDetail } from '@/lib/api/types';
import { signOf } from '@/lib/money';
import { toast } from '@/ui/toast';
import { useCancelPlan } from '../api/queries';

type Props = { plan: PlanDetail; onClose: () => void };

/** Asks before a plan is cancelled, and says what comes back. */
export default function CancelSheet({ plan, onClose }: Props) {
  const { t } = useTranslation();
  const { money } = useFormats();
  const mutation = useCancelPlan(() => toast(t('plan.cancelled')));
  return (
    <CancelDialog
      id={plan.id}
      mutation={mutation}
      texts={{ title: t('plan.cancel_title'), keep: t('plan.keep'), cancel: t('plan.cancel') }}
      onClose={onClose}
    >
      {signOf(plan.paid_amount) > 0 ? (
        <p>{t('plan.cancel_money', { amount: money(plan.paid_amount) })}</p>
      ) : null}
      {plan.coupon ? <p>{t('plan.cancel_coupon', { name: plan.coupon.name })}</p> : null}
    </CancelDialog>
  );
}
