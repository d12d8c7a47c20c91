import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { useFormats } from '@/i18n/format';
import type { Withdrawal } from '@/lib/api/types';
import { useIntentionKey } from '@/lib/idempotency';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import { Sheet } from '@/ui/sheet';
import stack from '@/ui/stack.module.css';
import { toast } from '@/ui/toast';
import { useOverlay } from '@/ui/use-overlay';
import { useCancelWithdrawal } from '../api/queries';

type Props = { withdrawal: Withdrawal; currency: string | undefined };

/** Takes back a withdrawal that nobody has decided about, after a question. */
export function CancelWithdrawal({ withdrawal, currency }: Props) {
  const { t } = useTranslation();
  const dialog = useOverlay(`withdrawal-cancel-${withdrawal.id}`);
  return (
    <>
      {withdrawal.status === 'pending' ? (
        <Button tone="danger" wide onClick={dialog.open}>
          {t('withdraw.cancel')}
        </Button>
      ) : null}
      {dialog.isOpen ? (
        <CancelDialog withdrawal={withdrawal} currency={currency} onClose={dialog.close} />
      ) : null}
    </>
  );
}

function CancelDialog({ withdrawal, currency, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation();
  const { money } = useFormats();
  const errorText = useErrorText();
  const key = useIntentionKey();
  const mutation = useCancelWithdrawal(() => {
    toast(t('withdraw.result.cancelled'));
    onClose();
  });
  // A second tap may arrive before React disables the button.
  const sending = useRef(false);

  const send = () => {
    if (sending.current) return;
    sending.current = true;
    mutation.mutate(
      { id: withdrawal.id, key: key.for(withdrawal.id) },
      {
        onError: () => {
          sending.current = false;
        },
        onSettled: (_withdrawal, error) => key.settle(error),
      },
    );
  };
  const amount = [money(withdrawal.amount), currency].filter(Boolean).join(' ');
  return (
    <Sheet
      isOpen
      kind="dialog"
      onClose={() => (mutation.isPending ? undefined : onClose())}
      title={t('withdraw.cancel_title')}
      footer={
        <>
          <Button tone="secondary" disabled={mutation.isPending} onClick={onClose}>
            {t('withdraw.keep')}
          </Button>
          <Button tone="danger" busy={mutation.isPending || mutation.isSuccess} onClick={send}>
            {t('withdraw.cancel')}
          </Button>
        </>
      }
    >
      <div className={stack.gap4}>
        <p>{t('withdraw.cancel_text', { amount })}</p>
        <FormAlert>{mutation.isError ? errorText(mutation.error) : null}</FormAlert>
      </div>
    </Sheet>
  );
}
