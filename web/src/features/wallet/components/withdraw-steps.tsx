import { Check } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { useService } from '@/domain/service/service-store';
import type { Property } from '@/lib/api/types';
import { Button, LinkButton } from '@/ui/button';
import { Card } from '@/ui/card';
import { cx } from '@/ui/cx';
import { Money } from '@/ui/money';
import { useOverlay } from '@/ui/use-overlay';
import type { Step } from '../withdrawal';
import { DepositSheet } from './deposit-sheet';
import styles from './withdraw-steps.module.css';

type Props = { steps: readonly Step[]; property: Property };

/** What blocks a withdrawal, with an action for each item; completed items are ticked off. */
export function WithdrawSteps({ steps, property }: Props) {
  const { t } = useTranslation();
  return (
    <Card title={t('withdraw.blocked_title')}>
      <p className={styles.muted}>{t('withdraw.blocked_text')}</p>
      <ol className={styles.steps}>
        {steps.map((step, index) => (
          <li key={step.key} className={cx(styles.step, step.isDone && styles.done)}>
            <span className={styles.stepMark} aria-hidden="true">
              {step.isDone ? <Check size={16} /> : index + 1}
            </span>
            <div className={styles.stepText}>
              <p className={styles.stepTitle}>
                {t(`withdraw.step.${step.key}.title`)}
                {step.key === 'start_up_funds' ? (
                  <>
                    {' '}
                    <Money value={property.start_up_funds_outstanding} currency={property.currency} />
                  </>
                ) : null}
              </p>
              {step.isDone ? (
                <p className={styles.muted}>{t('withdraw.step_done')}</p>
              ) : (
                <>
                  <p className={styles.muted}>{t(`withdraw.step.${step.key}.text`)}</p>
                  <StepAction step={step.key} />
                </>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function StepAction({ step }: { step: Step['key'] }) {
  const { t } = useTranslation();
  const { pathname, search } = useLocation();
  const service = useService();
  const deposit = useOverlay('deposit');
  const label = t(`withdraw.step.${step}.action`);
  const next = encodeURIComponent(`${pathname}${search}`);
  switch (step) {
    case 'pay_password':
      return (
        <LinkButton tone="secondary" to={`/wallet/set-password?next=${next}`}>
          {label}
        </LinkButton>
      );
    case 'destination':
      return (
        <LinkButton tone="secondary" to={`/wallet/bind-card?next=${next}`}>
          {label}
        </LinkButton>
      );
    case 'balance':
      return (
        <>
          <Button tone="secondary" onClick={deposit.open}>
            {label}
          </Button>
          <DepositSheet isOpen={deposit.isOpen} onClose={deposit.close} />
        </>
      );
    default: {
      const subtitle = t(
        step === 'start_up_funds' ? 'withdraw.service_start_up' : 'withdraw.service_on_hold',
      );
      return (
        <Button tone="secondary" onClick={() => service.open({ subtitle })}>
          {label}
        </Button>
      );
    }
  }
}
