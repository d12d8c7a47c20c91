import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { useService } from '@/domain/service/service-store';
import type { Property } from '@/lib/api/types';
import { Button, LinkButton } from '@/ui/button';
import { cx } from '@/ui/cx';
import { Money } from '@/ui/money';
import { useOverlay } from '@/ui/use-overlay';
import { StartUpSheet } from '../start-up/start-up-sheet';
import { NoticeFrame } from './notice-frame';
import type { Step } from './steps';
import styles from './steps-notice.module.css';

type Props = {
  title: string;
  steps: readonly Step[];
  property: Property;
  /** The action of the step `balance`. */
  deposit: ReactNode;
  inset: boolean | undefined;
};

/** What must be done before money can leave, with an action for each item; completed items are ticked off. */
export function StepsNotice({ title, steps, property, deposit, inset }: Props) {
  const { t } = useTranslation();
  return (
    <NoticeFrame inset={inset} title={title}>
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
                  <p className={styles.muted}>
                    {step.key === 'start_up_funds' && property.start_up_funds_returnable
                      ? t('withdraw.step.start_up_funds.own_text')
                      : t(`withdraw.step.${step.key}.text`)}
                  </p>
                  {step.key === 'balance' ? deposit : <StepAction step={step.key} property={property} />}
                </>
              )}
            </div>
          </li>
        ))}
      </ol>
    </NoticeFrame>
  );
}

type ActionProps = { step: Exclude<Step['key'], 'balance'>; property: Property };

function StepAction({ step, property }: ActionProps) {
  const { t } = useTranslation();
  const { pathname, search } = useLocation();
  const service = useService();
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
    case 'start_up_funds':
      if (property.start_up_funds_returnable) return <ReturnAction property={property} />;
      break;
    default:
  }
  const subtitle = t(step === 'start_up_funds' ? 'withdraw.service_start_up' : 'withdraw.service_on_hold');
  const subject = `${t('title.withdraw')}: ${t(`withdraw.step.${step}.title`)}`;
  return (
    <Button tone="secondary" onClick={() => service.open({ subject, subtitle })}>
      {label}
    </Button>
  );
}

function ReturnAction({ property }: { property: Property }) {
  const { t } = useTranslation();
  const sheet = useOverlay('start-up');
  return (
    <>
      <Button tone="secondary" onClick={sheet.open}>
        {t('wallet.start_up_return')}
      </Button>
      <StartUpSheet property={property} isOpen={sheet.isOpen} onClose={sheet.close} />
    </>
  );
}
