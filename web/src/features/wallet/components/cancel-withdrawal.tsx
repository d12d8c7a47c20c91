import { useTranslation } from 'react-i18next';
import { CancelDialog } from '@/domain/cancel-dialog';
import { useFormats } from '@/i18n/format';
import type { Withdrawal } from '@/lib/api/types';
import { Button } from '@/ui/button';
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
      {dialog.isOpen ? <Question withdrawal={withdrawal} currency={currency} onClose={dialog.close} /> : null}
    </>
  );
}

function Question({ withdrawal, currency, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation();
  const { money } = useFormats();
  const mutation = useCancelWithdrawal(() => toast(t('withdraw.result.cancelled')));
  const amount = [money(withdrawal.amount), currency].filter(Boolean).join(' ');
  return (
    <CancelDialog
      id={withdrawal.id}
      mutation={mutation}
      texts={{ title: t('withdraw.cancel_title'), keep: t('withdraw.keep'), cancel: t('withdraw.cancel') }}
      onClose={onClose}
    >
      <p>{t('withdraw.cancel_text', { amount })}</p>
    </CancelDialog>
  );
}
