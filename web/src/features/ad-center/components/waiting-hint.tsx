import { ChevronRight, Hourglass } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { Plan } from '@/lib/api/types';
import { firstExpiry } from '../rules';
import styles from './waiting-hint.module.css';

type Props = { count: number; plans: readonly Plan[] };

/** Links to the pushed plans that wait for the user's amount, with the date by which the first must be put. */
export function WaitingHint({ count, plans }: Props) {
  const { t } = useTranslation();
  const { moment } = useFormats();
  const expiry = firstExpiry(plans);
  return (
    <Link className={styles.waiting} to="/plan?status=waiting">
      <Hourglass className={styles.waitingIcon} size={20} aria-hidden="true" />
      <span className={styles.waitingText}>
        <strong>{t('ad_center.waiting', { count })}</strong>
        <span>
          {expiry ? t('ad_center.waiting_until', { time: moment(expiry) }) : t('ad_center.waiting_hint')}
        </span>
      </span>
      <ChevronRight className={styles.waitingIcon} size={18} aria-hidden="true" />
    </Link>
  );
}
