import { useQuery } from '@tanstack/react-query';
import {
  ArrowLeftRight,
  CalendarRange,
  CreditCard,
  LockKeyhole,
  type LucideIcon,
  ReceiptText,
  Ticket,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { userInfoQuery } from '@/domain/user-info';
import styles from './wallet-actions.module.css';

type Action = { to: string; Icon: LucideIcon; label: string };

/** Links from the wallet to everything but deposit and withdrawal. */
export function WalletActions() {
  const { t } = useTranslation();
  const hasPassword = useQuery(userInfoQuery).data?.has_pay_password;
  const actions: Action[] = [
    { to: '/wallet/bind-card', Icon: CreditCard, label: t('wallet.bind') },
    { to: '/wallet/foreign-exchange', Icon: ArrowLeftRight, label: t('title.foreign_exchange') },
    {
      to: hasPassword ? '/ad-center/edit-pay-password' : '/wallet/set-password',
      Icon: LockKeyhole,
      label: t('wallet.pay_password'),
    },
    { to: '/wallet/fund-details', Icon: ReceiptText, label: t('title.fund_details') },
    { to: '/wallet/fund-details?view=monthly', Icon: CalendarRange, label: t('wallet.monthly') },
    { to: '/ad-center/coupons', Icon: Ticket, label: t('title.coupons') },
  ];
  return (
    <nav aria-label={t('wallet.actions')}>
      <ul className={styles.actions}>
        {actions.map(({ to, Icon, label }) => (
          <li key={label}>
            <Link className={styles.action} to={to}>
              <span className={styles.bubble}>
                <Icon size={20} aria-hidden="true" />
              </span>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
