import { ShieldCheck } from 'lucide-react';
import { useCallback, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { CoolingOffHint } from '@/domain/pay/cooling-off-hint';
import { PasscodeField } from '@/domain/pay/passcode-field';
import { useService } from '@/domain/service/service-store';
import { Button } from '@/ui/button';
import { usePageHeader } from '@/ui/page-header';
import { Skeleton } from '@/ui/states';
import type { PasswordStep } from '../pay-password';
import styles from './pay-password-steps.module.css';
import { usePayPasswordSteps } from './use-pay-password-steps';

/** Asks for the current password if there is one, then for the new one twice. Back returns one step. */
export function PayPasswordSteps({ isSet }: { isSet: boolean }) {
  const { t } = useTranslation();
  const service = useService();
  const steps = usePayPasswordSteps(isSet);
  const { step, position, total, isLast, back } = steps;
  const latest = useRef(back);
  latest.current = back;
  const onBack = useCallback(() => latest.current(), []);
  usePageHeader({ onBack: position > 1 ? onBack : undefined });

  return (
    <form
      className={styles.page}
      onSubmit={(event) => {
        event.preventDefault();
        steps.submit();
      }}
    >
      <span className={styles.shield} aria-hidden="true">
        <ShieldCheck size={30} />
      </span>
      <div className={styles.progress}>
        <p>{t('pay_password.progress', { step: position, total })}</p>
        <div className={styles.dots} aria-hidden="true">
          {Array.from({ length: total }, (_, index) => index).map((index) => (
            <span key={index} className={index < position ? styles.reached : undefined} />
          ))}
        </div>
      </div>
      <div className={styles.field}>
        <PasscodeField
          // A new field for each step, with its own focus and message.
          key={step}
          autoFocus
          label={t(labelOf(step, isSet))}
          value={steps.value}
          onChange={steps.enter}
          state={steps.state}
          error={steps.error}
        />
      </div>
      {step === 'old' ? (
        <CoolingOffHint />
      ) : (
        <p className={styles.hint}>{t(step === 'new' ? 'pay_password.new_hint' : 'pay_password.purpose')}</p>
      )}
      <div className={styles.actions}>
        <Button type="submit" wide large busy={steps.state === 'checking' || steps.state === 'success'}>
          {t(isLast ? 'pay_password.submit' : 'pay_password.next')}
        </Button>
        {step === 'old' ? (
          <Button
            tone="quiet"
            onClick={() =>
              service.open({ subject: t('title.edit_pay_password'), subtitle: t('pay_password.forgot_text') })
            }
          >
            {t('pay_password.forgot')}
          </Button>
        ) : null}
        {isLast ? (
          <Button tone="quiet" disabled={steps.state === 'checking'} onClick={steps.startAgain}>
            {t('pay_password.start_again')}
          </Button>
        ) : null}
      </div>
    </form>
  );
}

/** Shown until it is known whether a password is set. */
export function PayPasswordSkeleton() {
  const { t } = useTranslation();
  return (
    <div className={styles.page} role="status" aria-label={t('common.loading')}>
      <Skeleton width="4rem" height="4rem" />
      <Skeleton width="8rem" height="1.5rem" />
      <div className={styles.field}>
        <Skeleton height="5rem" />
      </div>
      <div className={styles.actions}>
        <Skeleton height="3.25rem" />
      </div>
    </div>
  );
}

function labelOf(step: PasswordStep, isSet: boolean) {
  if (step === 'new') return isSet ? 'pay_password.new_again' : 'pay_password.new';
  return `pay_password.${step}` as const;
}
