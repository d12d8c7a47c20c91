import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { propertyQuery } from '@/domain/property';
import { userInfoQuery } from '@/domain/user-info';
import { usePageHeader } from '@/ui/page-header';
import stack from '@/ui/stack.module.css';
import { securityLogQuery, sessionsQuery } from '../api/queries';
import { EmailCard } from '../components/email-card';
import { PayoutStop } from '../components/payout-stop';
import { SecurityLog } from '../components/security-log';
import { SessionList } from '../components/session-list';
import styles from './security.module.css';

/** The account's sessions, its email address, the stop of its payouts, and its security log. */
export default function SecurityPage() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const hasEmail = useQuery(userInfoQuery).data?.email !== '';
  const refresh = useCallback(
    () =>
      Promise.all([
        queryClient.refetchQueries({ queryKey: sessionsQuery.queryKey }),
        queryClient.refetchQueries({ queryKey: userInfoQuery.queryKey }),
        queryClient.refetchQueries({ queryKey: propertyQuery.queryKey }),
        queryClient.refetchQueries({ queryKey: securityLogQuery.queryKey }),
      ]),
    [queryClient],
  );
  usePageHeader({ onRefresh: refresh });
  return (
    <div className={stack.gap6}>
      <section aria-label={t('security.devices')}>
        <h2 className={styles.heading}>{t('security.devices')}</h2>
        <SessionList />
      </section>
      {hasEmail ? (
        <section aria-label={t('account.email')}>
          <h2 className={styles.heading}>{t('account.email')}</h2>
          <EmailCard />
        </section>
      ) : null}
      <section aria-label={t('security.stop.title')}>
        <h2 className={styles.heading}>{t('security.stop.title')}</h2>
        <PayoutStop />
      </section>
      <section aria-label={t('security.log')}>
        <h2 className={styles.heading}>{t('security.log')}</h2>
        <SecurityLog />
      </section>
    </div>
  );
}
