import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { checkPayPassword } from '@/domain/pay/check-pay-password';
import { md5Hex } from '@/domain/pay/md5';
import type { PasscodeState } from '@/domain/pay/passcode-field';
import { useErrorText } from '@/i18n/error-text';
import { ApiError } from '@/lib/api/error';
import { toast } from '@/ui/toast';
import { useSetPayPassword } from '../api/pay-password';
import { checkEntry, type Entries, type PasswordStep, stepOfRefusal, stepsFor } from '../pay-password';
import { useLeave } from './use-leave';

const NOTHING: Entries = { old: '', new: '', confirm: '' };

/** The state machine of setting or changing the transaction password. */
export function usePayPasswordSteps(isSet: boolean) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const leave = useLeave();
  const entering = useEntries(isSet);
  const { step, index, steps, entries, error, goTo, forget } = entering;
  const check = useMutation({ mutationFn: checkPayPassword, meta: { inline: true } });
  const set = useSetPayPassword();
  // A second tap may arrive before React disables the button.
  const running = useRef(false);

  const refuse = (cause: unknown, at: PasswordStep) => {
    running.current = false;
    // A new entry invalidates the old confirmation.
    if (at !== 'confirm') forget('confirm');
    goTo(at, errorText(cause));
  };
  const send = () =>
    set.mutate(bodyOf(entries, isSet), {
      onSuccess: () => {
        toast(t('pay_password.success'));
        leave();
      },
      onError: (cause) => refuse(cause, stepOfRefusal(cause instanceof ApiError ? cause.reason : '', isSet)),
    });
  const submit = () => {
    if (running.current) return;
    const wrong = checkEntry(step, entries);
    if (wrong) return goTo(step, t(`pay_password.error.${wrong}`));
    const next = steps[index + 1];
    if (step === 'old') {
      running.current = true;
      check.mutate(md5Hex(entries.old), {
        onSuccess: () => {
          running.current = false;
          goTo('new');
        },
        onError: (cause) => refuse(cause, 'old'),
      });
    } else if (next) goTo(next);
    else {
      running.current = true;
      send();
    }
  };
  const isBusy = check.isPending || set.isPending;
  const state: PasscodeState = isBusy ? 'checking' : set.isSuccess ? 'success' : error ? 'wrong' : 'entering';
  return {
    step,
    position: index + 1,
    total: steps.length,
    isLast: index === steps.length - 1,
    value: entries[step],
    state,
    error,
    enter: entering.enter,
    submit,
    startAgain: () => {
      forget('new', 'confirm');
      goTo('new');
    },
    back: () => {
      const previous = steps[index - 1];
      if (previous && !isBusy) goTo(previous);
    },
  };
}

function bodyOf(entries: Entries, isSet: boolean) {
  return {
    password: md5Hex(entries.new),
    confirm_password: md5Hex(entries.confirm),
    ...(isSet ? { old_password: md5Hex(entries.old) } : {}),
  };
}

/** The current step and the entries so far. Typing clears the error. */
function useEntries(isSet: boolean) {
  const steps = stepsFor(isSet);
  const [step, setStep] = useState<PasswordStep>(steps[0] ?? 'new');
  const [entries, setEntries] = useState(NOTHING);
  const [error, setError] = useState<string | null>(null);
  return {
    steps,
    step,
    index: steps.indexOf(step),
    entries,
    error,
    goTo: (next: PasswordStep, message: string | null = null) => {
      setStep(next);
      setError(message);
    },
    enter: (digits: string) => {
      setEntries((current) => ({ ...current, [step]: digits }));
      setError(null);
    },
    forget: (...forgotten: PasswordStep[]) =>
      setEntries((current) => ({
        ...current,
        ...Object.fromEntries(forgotten.map((each) => [each, ''])),
      })),
  };
}
