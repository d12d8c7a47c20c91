import { useMutation } from '@tanstack/react-query';
import { ArrowLeft, LockKeyhole } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { ApiError } from '@/lib/api/error';
import { Button, IconButton } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import { Sheet } from '@/ui/sheet';
import { useService } from '../service/service-store';
import { checkPayPassword } from './check-pay-password';
import { md5Hex } from './md5';
import { PASSCODE_LENGTH, PasscodeField, type PasscodeState } from './passcode-field';
import type { PaySheetProps } from './pay-sheet';
import styles from './pay-sheet-content.module.css';

/**
 * Review, transaction password, payment, all in one dialog and one history entry. However often the button is tapped,
 * one call is made.
 */
export default function PaySheetContent({
  title,
  children,
  confirmLabel,
  asksPassword,
  summary,
  onPay,
  onClose,
}: PaySheetProps) {
  const { t } = useTranslation();
  const [step, setStep] = useState<'review' | 'password'>('review');
  const pay = usePaying(onPay);
  const inPassword = step === 'password';
  const busy = pay.state === 'checking' || pay.state === 'success';

  return (
    <Sheet
      isOpen
      // A pending payment must be able to report its outcome.
      onClose={() => (busy ? undefined : onClose())}
      title={inPassword ? t('passcode.title') : title}
      footer={
        <>
          <FormAlert>{pay.failure}</FormAlert>
          {inPassword ? (
            <Button
              type="submit"
              form={FORM}
              wide
              large
              disabled={pay.digits.length < PASSCODE_LENGTH}
              busy={busy}
            >
              {t('common.ok')}
            </Button>
          ) : (
            <Button
              wide
              large
              busy={busy}
              onClick={() => (asksPassword ? setStep('password') : pay.withoutPassword())}
            >
              {confirmLabel}
            </Button>
          )}
        </>
      }
    >
      {inPassword ? (
        <PasswordStep pay={pay} busy={busy} summary={summary} onBack={() => setStep('review')} />
      ) : (
        children
      )}
    </Sheet>
  );
}

const FORM = 'transaction-password';

type StepProps = { pay: Paying; busy: boolean; summary: ReactNode; onBack: () => void };

function PasswordStep({ pay, busy, summary, onBack }: StepProps) {
  const { t } = useTranslation();
  const service = useService();
  return (
    <form
      id={FORM}
      className={styles.password}
      onSubmit={(event) => {
        event.preventDefault();
        pay.withPassword();
      }}
    >
      <IconButton
        className={styles.back}
        label={t('passcode.back_to_review')}
        disabled={busy}
        onClick={onBack}
      >
        <ArrowLeft size={22} aria-hidden="true" />
      </IconButton>
      <span className={styles.lock} aria-hidden="true">
        <LockKeyhole size={24} />
      </span>
      {summary ? <div className={styles.summary}>{summary}</div> : null}
      <PasscodeField
        autoFocus
        label={t('passcode.label')}
        value={pay.digits}
        onChange={pay.setDigits}
        state={pay.state}
        error={pay.wrong}
      />
      <Button
        tone="quiet"
        disabled={busy}
        onClick={() => service.open({ subject: t('passcode.title'), subtitle: t('passcode.forgot_text') })}
      >
        {t('passcode.forgot')}
      </Button>
    </form>
  );
}

type Paying = ReturnType<typeof usePaying>;

function usePaying(onPay: PaySheetProps['onPay']) {
  const errorText = useErrorText();
  const [digits, setDigits] = useState('');
  // Every failure of the check is shown at the boxes; later failures belong to the payment.
  const checking = useRef(false);
  // A second tap may arrive before React disables the button.
  const running = useRef(false);
  const mutation = useMutation({
    mutationFn: async (password: string | null) => {
      checking.current = password !== null;
      if (password !== null) await checkPayPassword(password);
      checking.current = false;
      await onPay(password);
    },
    meta: { inline: true },
    onError: () => {
      running.current = false;
    },
  });
  const wrong = mutation.isError && (checking.current || isPasswordError(mutation.error));
  const state: PasscodeState = mutation.isPending
    ? 'checking'
    : mutation.isSuccess
      ? 'success'
      : wrong
        ? 'wrong'
        : 'entering';

  const run = (password: string | null) => {
    if (running.current) return;
    running.current = true;
    mutation.mutate(password);
  };
  return {
    digits,
    state,
    wrong: wrong ? errorText(mutation.error) : null,
    failure: mutation.isError && !wrong ? errorText(mutation.error) : null,
    setDigits: (next: string) => {
      setDigits(next);
      if (mutation.isError) mutation.reset();
    },
    withPassword: () => {
      if (digits.length === PASSCODE_LENGTH) run(md5Hex(digits));
    },
    withoutPassword: () => run(null),
  };
}

const PASSWORD_REASONS = ['WRONG_PAY_PASSWORD', 'PAY_PASSWORD_LOCKED'];

function isPasswordError(error: unknown): boolean {
  return error instanceof ApiError && PASSWORD_REASONS.includes(error.reason);
}
