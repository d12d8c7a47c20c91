import { Check, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { PlanDetail } from '@/lib/api/types';
import { cx } from '@/ui/cx';
import { type Step, stepsOf } from '../rules';
import styles from './plan-timeline.module.css';

export function PlanTimeline({ plan }: { plan: PlanDetail }) {
  return (
    <ol className={styles.steps}>
      {stepsOf(plan).map((step) => (
        <TimelineStep key={`${step.status} ${step.time}`} step={step} />
      ))}
    </ol>
  );
}

function TimelineStep({ step }: { step: Step }) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const failed = step.status === 'put_failed';
  return (
    <li
      className={cx(styles.step, styles[step.state], failed && styles.bad)}
      aria-current={step.state === 'current' ? 'step' : undefined}
    >
      <span className={styles.mark} aria-hidden="true">
        {step.state === 'done' && !failed ? <Check size={14} strokeWidth={3} /> : null}
        {failed ? <X size={14} strokeWidth={3} /> : null}
      </span>
      <span className={styles.stepName}>{t(`plan.status.${step.status}`)}</span>
      {step.time ? (
        <time className={styles.stepTime} dateTime={step.time}>
          {dateTime(step.time)}
        </time>
      ) : null}
      {step.reason ? <span className={styles.stepReason}>{step.reason}</span> : null}
    </li>
  );
}
