import { useMutation, useQuery } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { post } from '@/lib/api/call';
import { type ApiError, hasReason, isSessionError, STEP_UP_REQUIRED } from '@/lib/api/error';
import { closeHost, hasHost } from '@/lib/host';
import { sessionStore } from '@/lib/session/store';
import { Button } from '@/ui/button';
import { PasswordField } from '@/ui/field';
import { Sheet } from '@/ui/sheet';
import stack from '@/ui/stack.module.css';
import { useForm } from '@/ui/use-form';
import { PASSWORD_MAX } from '../login-password';
import { userInfoQuery } from '../user-info';
import styles from './step-up-sheet.module.css';

export type StepUpSheetProps = {
  /** The server's refusal of the call that waits. */
  refusal: ApiError;
  onConfirmed: () => void;
  onClose: () => void;
};

/** Asks for the login password, to make the session fresh again. Users of a host app have none and are led back to it. */
export default function StepUpSheet({ refusal, onConfirmed, onClose }: StepUpSheetProps) {
  const [fromHost, setFromHost] = useState<ApiError | null>(
    sessionStore.get().entry === 'host' ? refusal : null,
  );
  return fromHost ? (
    <EnterAgain refusal={fromHost} onClose={onClose} />
  ) : (
    <AskPassword onConfirmed={onConfirmed} onRefused={setFromHost} onClose={onClose} />
  );
}

type AskProps = Omit<StepUpSheetProps, 'refusal'> & {
  /** The user has no login password. */
  onRefused: (refusal: ApiError) => void;
};

function AskPassword({ onConfirmed, onRefused, onClose }: AskProps) {
  const { t } = useTranslation();
  const formId = useId();
  const field = useRef<HTMLInputElement>(null);
  // Password managers look up the password under this name.
  const username = useQuery(userInfoQuery).data?.username ?? '';
  const { form, submit, isBusy } = useConfirming(onConfirmed, onRefused);

  // The effect of the sheet runs first and focuses its close button.
  useEffect(() => field.current?.focus(), []);

  return (
    <Sheet
      isOpen
      onClose={onClose}
      title={t('step_up.title')}
      footer={
        <Button type="submit" form={formId} large wide busy={isBusy}>
          {t('step_up.submit')}
        </Button>
      }
    >
      <form id={formId} className={stack.gap4} {...form.formProps(submit)}>
        <p className={styles.lead}>
          <ShieldCheck size={20} aria-hidden="true" />
          {t('step_up.lead')}
        </p>
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <PasswordField
          {...form.fieldProps('password')}
          ref={field}
          label={t('step_up.password')}
          maxLength={PASSWORD_MAX}
          autoComplete="current-password"
        />
      </form>
    </Sheet>
  );
}

function useConfirming(onConfirmed: AskProps['onConfirmed'], onRefused: AskProps['onRefused']) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  // A second tap may arrive before React disables the button.
  const running = useRef(false);
  const form = useForm({ password: '' }, ({ password }) => ({
    password: password === '' ? t('auth.error.password_required') : undefined,
  }));
  const mutation = useMutation({
    mutationFn: (password: string) => post('/user/step_up', { password }),
    meta: { inline: true },
  });
  // The server's text is about a change of password.
  const textOf = (error: unknown) =>
    hasReason(error, 'WRONG_PASSWORD') ? t('step_up.wrong') : errorText(error);
  const submit = ({ password }: { password: string }) => {
    if (running.current) return;
    running.current = true;
    // Passed here, so that they die with the sheet: a confirmation after Cancel must not make the call.
    mutation.mutate(password, {
      onSuccess: onConfirmed,
      onError: (error) => {
        running.current = false;
        if (hasReason(error, STEP_UP_REQUIRED)) onRefused(error);
        else if (!isSessionError(error)) form.reject({ password: textOf(error) });
      },
    });
  };
  return { form, submit, isBusy: mutation.isPending || mutation.isSuccess };
}

function EnterAgain({ refusal, onClose }: Pick<StepUpSheetProps, 'refusal' | 'onClose'>) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const inHost = hasHost();
  return (
    <Sheet
      isOpen
      onClose={onClose}
      title={t('step_up.title')}
      footer={
        <Button large wide onClick={inHost ? closeHost : onClose}>
          {t(inHost ? 'step_up.to_host' : 'common.ok')}
        </Button>
      }
    >
      <div className={stack.gap3}>
        <p>{errorText(refusal)}</p>
        <p>{t('step_up.from_host')}</p>
      </div>
    </Sheet>
  );
}
