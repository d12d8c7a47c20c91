import { ChartNoAxesColumn, Layers, UserRound, Wallet } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router';
import { cx } from '@/ui/cx';
import { LogoMark } from '@/ui/logo';
import styles from './tab-bar.module.css';

const tabs = [
  { to: '/ad-center', label: 'title.ad_center', Icon: ChartNoAxesColumn },
  { to: '/plan', label: 'title.plans', Icon: Layers },
  { to: '/wallet', label: 'title.wallet', Icon: Wallet },
  { to: '/account', label: 'title.account', Icon: UserRound },
] as const;

/**
 * Links to the main pages: a bar at the bottom of a phone, a rail beside the page on a desktop. On a phone only the main
 * pages show it; all others have a back button.
 */
export default function TabBar({ isOnPhones }: { isOnPhones: boolean }) {
  const { t } = useTranslation();
  return (
    <nav className={cx(styles.tabbar, isOnPhones && styles.onPhones)} aria-label={t('common.main_pages')}>
      <div className={styles.brand}>
        <LogoMark size={36} />
        {t('common.app_name')}
      </div>
      <ul className={styles.tabs}>
        {tabs.map(({ to, label, Icon }) => (
          <li key={to}>
            <NavLink to={to} end className={cx(styles.tab)}>
              <span className={styles.pill}>
                <Icon size={22} aria-hidden="true" />
              </span>
              {t(label)}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
