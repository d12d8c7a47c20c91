import { useQuery } from '@tanstack/react-query';
import { ChevronRight, Hourglass } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { waitingCountQuery } from '../api/account';
import styles from './waiting-hint.module.css';

/** Links to pushed plans that wait for the user's amount. Hidden if there are none or the count failed. */
export function WaitingHint() {
  const { t } = useTranslation();
  const count = useQuery(waitingCountQuery).data?.count ?? 0;
  if (count === 0) return null;
  return (
    <Link className={styles.waiting} to="/plan?status=waiting">
      <Hourglass className={styles.waitingIcon} size={20} aria-hidden="true" />
      <span className={styles.waitingText}>
        <strong>{t('ad_center.waiting', { count })}</strong>
        <span>{t('ad_center.waiting_hint')}</span>
      </span>
      <ChevronRight className={styles.waitingIcon} size={18} aria-hidden="true" />
    </Link>
  );
}
