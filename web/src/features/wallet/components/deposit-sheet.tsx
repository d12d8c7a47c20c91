import { useQuery } from '@tanstack/react-query';
import { MessageCircle } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { ServiceEntry } from '@/lib/api/types';
import { userInfoQuery } from '@/lib/data/user-info';
import { CopyButton } from '@/ui/copy-button';
import { Sheet } from '@/ui/sheet';
import styles from '../pages/wallet.module.css';

/** Deposits are credited by customer service; this says how, and what to name. */
export function DepositSheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const user = useQuery(userInfoQuery).data;
  return (
    <Sheet isOpen={isOpen} onClose={onClose} title={t('wallet.deposit')}>
      <ol className={styles.tips}>
        <li>{t('wallet.deposit_tip_contact')}</li>
        <li>{t('wallet.deposit_tip_name')}</li>
        <li>{t('wallet.deposit_tip_credit')}</li>
      </ol>
      {user ? <Services entries={user.recharge_customer_service_url} /> : null}
      {user ? (
        <div className={styles.copy}>
          <div>
            <span>{t('auth.username')}</span>
            <strong>{user.username}</strong>
          </div>
          <CopyButton text={user.username} label={t('wallet.copy_username')} />
        </div>
      ) : null}
    </Sheet>
  );
}

function Services({ entries }: { entries: readonly ServiceEntry[] }) {
  const { t } = useTranslation();
  return (
    <ul className={styles.services}>
      {entries.map((entry, index) => (
        <li key={entry.id}>
          <a className={styles.service} href={entry.url} target="_blank" rel="noopener noreferrer">
            <MessageCircle size={20} aria-hidden="true" />
            {t('service.entry', { number: index + 1, label: entry.label })}
          </a>
        </li>
      ))}
    </ul>
  );
}
