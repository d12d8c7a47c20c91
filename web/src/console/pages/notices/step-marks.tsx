import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './step-marks.module.css';

const STEPS = ['write', 'review', 'sent'] as const;

/** Where the announcement is between the first word and its users. */
export function StepMarks({ step }: { step: (typeof STEPS)[number] }) {
  const { t } = useTranslation('console');
  const list = useRef<HTMLOListElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    // A new step begins at its beginning, for the eyes and for assistive technology.
    window.scrollTo({ top: 0 });
    list.current?.focus({ preventScroll: true });
  }, [step]);
  return (
    <ol ref={list} className={styles.steps} tabIndex={-1} aria-label={t('notices.steps.label')}>
      {STEPS.map((name, index) => (
        <li key={name} className={styles.step} aria-current={name === step ? 'step' : undefined}>
          <span className={styles.number} aria-hidden="true">
            {index + 1}
          </span>
          {t(`notices.steps.${name}`)}
        </li>
      ))}
    </ol>
  );
}
