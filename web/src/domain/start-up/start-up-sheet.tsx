import { type Ref, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { useFormats } from '@/i18n/format';
import type { Property } from '@/lib/api/types';
import { useIntentionKey } from '@/lib/idempotency';
import { compare, parseTypedAmount, signOf, smaller } from '@/lib/money';
import { BigAmount } from '@/ui/big-amount';
import { Button, LinkButton } from '@/ui/button';
import { TextField } from '@/ui/field';
import { Money } from '@/ui/money';
import { Sheet } from '@/ui/sheet';
import stack from '@/ui/stack.module.css';
import { toast } from '@/ui/toast';
import { useForm } from '@/ui/use-form';
import { useService } from '../service/service-store';
import { useReturnStartUp } from './api';
import styles from './start-up-sheet.module.css';

type Props = { property: Property; onClose: () => void };

/** Explains start-up funds and returns them, or says who arranges that. */
export function StartUpSheet({ isOpen, ...props }: Props & { isOpen: boolean }) {
  if (!isOpen) return null;
  const { start_up_funds_returnable, available_funds } = props.property;
  if (!start_up_funds_returnable) return <ServiceSheet {...props} />;
  return signOf(available_funds) > 0 ? <ReturnSheet {...props} /> : <WaitSheet {...props} />;
}

function ServiceSheet({ property, onClose }: Props) {
  const { t } = useTranslation();
  const service = useService();
  return (
    <Sheet
      isOpen
      onClose={onClose}
      title={t('wallet.start_up_title')}
      footer={
        <>
          <Button
            wide
            large
            onClick={() =>
              service.open({ subject: t('wallet.start_up_title'), subtitle: t('withdraw.service_start_up') })
            }
          >
            {t('wallet.start_up_service')}
          </Button>
          <ToMovements />
        </>
      }
    >
      <div className={stack.gap4}>
        <Outstanding property={property} />
        <p className={styles.lead}>{t('wallet.start_up_text')}</p>
      </div>
    </Sheet>
  );
}

/** There is nothing to return them from. */
function WaitSheet({ property, onClose }: Props) {
  const { t } = useTranslation();
  return (
    <Sheet isOpen onClose={onClose} title={t('wallet.start_up_title')} footer={<ToMovements />}>
      <div className={stack.gap4}>
        <Outstanding property={property} />
        <p className={styles.lead}>{t('wallet.start_up_own_text')}</p>
        <p>{t('wallet.start_up_none')}</p>
      </div>
    </Sheet>
  );
}

/** The amount first, then the question whether it may leave. A refusal leads back to the amount. */
function ReturnSheet({ property, onClose }: Props) {
  const { t } = useTranslation();
  const { money, typedMoney } = useFormats();
  const errorText = useErrorText();
  const key = useIntentionKey();
  const [asked, setAsked] = useState<string | null>(null);
  const { currency, available_funds, start_up_funds_outstanding: outstanding } = property;
  const most = smaller(outstanding, available_funds);
  const form = useForm({ start_up: typedMoney(most) }, (values) => {
    const amount = parseTypedAmount(values.start_up);
    if (amount === null || signOf(amount) === 0) return { start_up: t('wallet.start_up_invalid') };
    const isTooMuch = compare(amount, most) > 0;
    return { start_up: isTooMuch ? t('wallet.start_up_at_most', { max: money(most) }) : undefined };
  });
  const mutation = useReturnStartUp(() => {
    toast(t('wallet.start_up_done'));
    onClose();
  });
  // A second tap may arrive before React disables the button.
  const sending = useRef(false);
  const send = (amount: string) => {
    if (sending.current) return;
    sending.current = true;
    mutation.mutate(
      { amount, key: key.for(amount) },
      {
        onError: (error) => {
          setAsked(null);
          form.reject({ start_up: errorText(error) });
        },
        onSettled: (_data, error) => {
          sending.current = false;
          key.settle(error);
        },
      },
    );
  };

  const isAsked = asked !== null;
  const isSending = mutation.isPending || mutation.isSuccess;
  return (
    <Sheet
      isOpen
      onClose={isSending ? () => undefined : onClose}
      title={t(isAsked ? 'wallet.start_up_confirm_title' : 'wallet.start_up_title')}
      footer={
        isAsked ? (
          <Confirm isSending={isSending} onConfirm={() => send(asked)} onBack={() => setAsked(null)} />
        ) : (
          <>
            <Button wide large type="submit" form={FORM}>
              {t('wallet.start_up_return')}
            </Button>
            <ToMovements />
          </>
        )
      }
    >
      {isAsked ? (
        <p>{t('wallet.start_up_confirm_text', { amount: `${money(asked)} ${currency}` })}</p>
      ) : (
        <form
          id={FORM}
          className={stack.gap4}
          {...form.formProps((values) => setAsked(parseTypedAmount(values.start_up)))}
        >
          <Outstanding property={property} />
          <p className={styles.lead}>{t('wallet.start_up_own_text')}</p>
          <TextField
            {...form.fieldProps('start_up')}
            large
            label={t('wallet.start_up_amount')}
            hint={t('wallet.start_up_from', { amount: money(available_funds) })}
            prefix={currency}
            inputMode="decimal"
            autoComplete="off"
            enterKeyHint="next"
          />
        </form>
      )}
    </Sheet>
  );
}

const FORM = 'start-up-return';

type ConfirmProps = { isSending: boolean; onConfirm: () => void; onBack: () => void };

function Confirm({ isSending, onConfirm, onBack }: ConfirmProps) {
  const { t } = useTranslation();
  const confirm = useFirstFocus();
  return (
    <>
      <Button wide large ref={confirm} busy={isSending} onClick={onConfirm}>
        {t('wallet.start_up_return')}
      </Button>
      <Button wide tone="quiet" disabled={isSending} onClick={onBack}>
        {t('common.back')}
      </Button>
    </>
  );
}

/** The button that was pressed is gone, and with it the focus. */
function useFirstFocus(): Ref<HTMLButtonElement> {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return button;
}

function Outstanding({ property }: { property: Property }) {
  const { t } = useTranslation();
  return (
    <BigAmount label={t('wallet.start_up_outstanding')}>
      <Money value={property.start_up_funds_outstanding} currency={property.currency} />
    </BigAmount>
  );
}

function ToMovements() {
  const { t } = useTranslation();
  return (
    <LinkButton wide tone="quiet" to="/wallet/fund-details?type=start_up_funds" replace>
      {t('wallet.start_up_movements')}
    </LinkButton>
  );
}
