import { Clock } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useBasicConfig } from '../basic-config';
import styles from './cooling-off-hint.module.css';

/** Warns that withdrawals wait after a security-relevant change; renders nothing where they do not. */
export function CoolingOffHint() {
  const { t } = useTranslation();
  const hours = useBasicConfig().data?.withdrawal_cooling_off_hours;
  // The stored copy of an older version lacks the field.
  if (!hours) return null;
  return (
    <p className={styles.hint}>
      <Clock size={16} aria-hidden="true" />
      {t('withdraw.cooling_off.hint', { count: hours })}
    </p>
  );
}
