import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { useFormats } from '@/i18n/format';
import type { PlanDetail } from '@/lib/api/types';
import { useIntentionKey } from '@/lib/idempotency';
import { signOf } from '@/lib/money';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import { Sheet } from '@/ui/sheet';
import stack from '@/ui/stack.module.css';
import { toast } from '@/ui/toast';
import { useCancelPlan } from '../api/queries';

type Props = { plan: PlanDetail; onClose: () => void };

/** Asks before a plan is cancelled, and says what comes back. */
export default function CancelSheet({ plan, onClose }: Props) {
  const { t } = useTranslation();
  const { money } = useFormats();
  const errorText = useErrorText();
  const mutation = useCancelPlan(() => toast(t('plan.cancelled')));
  const key = useIntentionKey();
  // A second tap may arrive before React disables the button.
  const sending = useRef(false);

  const send = () => {
    if (sending.current) return;
    sending.current = true;
    mutation.mutate(
      { id: plan.id, key: key.for(plan.id) },
      {
        onSuccess: onClose,
        onError: () => {
          sending.current = false;
        },
        onSettled: (_plan, error) => key.settle(error),
      },
    );
  };
  return (
    <Sheet
      isOpen
      kind="dialog"
      onClose={() => (mutation.isPending ? undefined : onClose())}
      title={t('plan.cancel_title')}
      footer={
        <>
          <Button tone="secondary" disabled={mutation.isPending} onClick={onClose}>
            {t('plan.keep')}
          </Button>
          <Button tone="danger" busy={mutation.isPending || mutation.isSuccess} onClick={send}>
            {t('plan.cancel')}
          </Button>
        </>
      }
    >
      <div className={stack.gap3}>
        {signOf(plan.paid_amount) > 0 ? (
          <p>{t('plan.cancel_money', { amount: money(plan.paid_amount) })}</p>
        ) : null}
        {plan.coupon ? <p>{t('plan.cancel_coupon', { name: plan.coupon.name })}</p> : null}
        <FormAlert>{mutation.isError ? errorText(mutation.error) : null}</FormAlert>
      </div>
    </Sheet>
  );
}
