import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
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
