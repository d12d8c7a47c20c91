import { useQuery } from '@tanstack/react-query';
import { MessageCircle } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useService } from '@/domain/service/service-store';
import { userInfoQuery } from '@/domain/user-info';
import { Button } from '@/ui/button';
import { CopyButton } from '@/ui/copy-button';
import { NumberedList } from '@/ui/numbered-list';
import { Sheet } from '@/ui/sheet';
import styles from './deposit-sheet.module.css';

/** Explains that customer service credits deposits, and what to tell it. */
export function DepositSheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const service = useService();
  const user = useQuery(userInfoQuery).data;
  const subtitle = user ? t('wallet.deposit_subtitle', { username: user.username }) : undefined;
  return (
    <Sheet
      isOpen={isOpen}
      onClose={onClose}
      title={t('wallet.deposit')}
      footer={
        <Button wide large onClick={() => service.open({ variant: 'recharge', subtitle })}>
          <MessageCircle size={20} aria-hidden="true" />
          {t('wallet.deposit_service')}
        </Button>
      }
    >
      <p className={styles.lead}>{t('wallet.deposit_lead')}</p>
      <NumberedList>
        <li>{t('wallet.deposit_tip_contact')}</li>
        <li>{t('wallet.deposit_tip_name')}</li>
        <li>{t('wallet.deposit_tip_credit')}</li>
      </NumberedList>
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
