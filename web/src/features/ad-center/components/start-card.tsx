import { useQuery } from '@tanstack/react-query';
import { Check, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Deposit } from '@/domain/deposit/deposit';
import { propertyQuery } from '@/domain/property';
import { userInfoQuery } from '@/domain/user-info';
import { Card } from '@/ui/card';
import { cx } from '@/ui/cx';
import { useOverlay } from '@/ui/use-overlay';
import { claimableQuery, waitingPlansQuery } from '../api/queries';
import { doneSteps, START_STEPS, type StartStep } from '../rules';
import styles from './start-card.module.css';

const TEXTS = {
  coupon: 'start.coupon',
  deposit: 'wallet.deposit',
  plan: 'plan.new',
  secure: 'pay_password.none_action',
} as const;

/** A deposit has no page: its sheet opens here. */
const PAGES: Record<Exclude<StartStep, 'deposit'>, string> = {
  coupon: '/ad-center/activities',
  plan: '/plan?products=open',
  secure: '/wallet/set-password',
};

/** What a new account does first. Done steps are ticked, the others lead to where they are done. */
export default function StartCard() {
  const { t } = useTranslation();
  const done = doneSteps({
    claimable: useQuery(claimableQuery).data,
    total_assets: useQuery(propertyQuery).data?.total_assets,
    counts: useQuery(waitingPlansQuery).data?.counts,
    has_pay_password: useQuery(userInfoQuery).data?.has_pay_password,
  });
  return (
    <Card title={t('start.title')}>
      <ol className={styles.steps}>
        {START_STEPS.map((step, index) => (
          <li key={step}>
            {done.has(step) ? (
              <p className={cx(styles.step, styles.done)}>
                <span className={styles.mark}>
                  <Check size={16} aria-hidden="true" />
                  <span className="visually-hidden">{t('withdraw.step_done')}</span>
                </span>
                <span className={styles.title}>{t(TEXTS[step])}</span>
              </p>
            ) : (
              <OpenStep step={step} number={index + 1} />
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}

function OpenStep({ step, number }: { step: StartStep; number: number }) {
  const { t } = useTranslation();
  const content = (
    <>
      <span className={styles.mark} aria-hidden="true">
        {number}
      </span>
      <span className={styles.title}>{t(TEXTS[step])}</span>
      <ChevronRight className={styles.arrow} size={18} aria-hidden="true" />
    </>
  );
  if (step === 'deposit') return <DepositStep>{content}</DepositStep>;
  return (
    <Link className={styles.step} to={PAGES[step]}>
      {content}
    </Link>
  );
}

function DepositStep({ children }: { children: ReactNode }) {
  const { isOpen, open, close } = useOverlay('deposit');
  return (
    <>
      <button type="button" className={styles.step} onClick={open}>
        {children}
      </button>
      <Deposit isOpen={isOpen} onClose={close} />
    </>
  );
}
