import { useTranslation } from 'react-i18next';
import styles from './steps.module.css';

export const STEPS = ['file', 'columns', 'check', 'done'] as const;
export type Step = (typeof STEPS)[number];

/** Where in the import somebody is. */
export function Steps({ current }: { current: Step }) {
  const { t } = useTranslation('console');
  return (
    <ol className={styles.steps} aria-label={t('delivery.steps_label')}>
      {STEPS.map((step, index) => (
        <li
          key={step}
          className={step === current ? styles.current : undefined}
          aria-current={step === current ? 'step' : undefined}
        >
          {t('delivery.step', { number: index + 1, name: t(`delivery.steps.${step}`) })}
        </li>
      ))}
    </ol>
  );
}
