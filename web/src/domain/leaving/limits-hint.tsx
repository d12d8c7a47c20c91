import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import styles from './limits-hint.module.css';
import type { LeaveLimits } from './rules';

/** How much may leave within 24 hours, by withdrawal or exchange. */
export function LimitsHint({ limits }: { limits: LeaveLimits }) {
  const { t } = useTranslation();
  const { money } = useFormats();
  if (!limits) return null;
  const params = { day: money(limits.per_day), destination: money(limits.per_destination) };
  return <p className={styles.limits}>{t('withdraw.leave_limits', params)}</p>;
}
