import { ChartNoAxesColumn, Layers, UserRound, Wallet } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { cx } from '@/ui/cx';
import { LogoMark } from '@/ui/logo';
import styles from './tab-bar.module.css';

/** The main pages, and how the paths of the pages that they lead to begin. The account has taken over its pages. */
const tabs = [
  { to: '/ad-center', label: 'title.ad_center', below: null, Icon: ChartNoAxesColumn },
  { to: '/plan', label: 'title.plans', below: '/plan/', Icon: Layers },
  { to: '/wallet', label: 'title.wallet', below: '/wallet/', Icon: Wallet },
  { to: '/account', label: 'title.account', below: '/ad-center/', Icon: UserRound },
] as const;

/**
 * Links to the main pages: a bar at the bottom of a phone, a rail beside the page on a desktop. On a phone only the main
 * pages show it; all others have a back button.
 */
export default function TabBar({ isOnPhones }: { isOnPhones: boolean }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const currentOf = ({ to, below }: (typeof tabs)[number]) => {
    if (pathname === to) return 'page';
    return below !== null && pathname.startsWith(below) ? 'true' : undefined;
  };
  return (
    <nav className={cx(styles.tabbar, isOnPhones && styles.onPhones)} aria-label={t('common.main_pages')}>
      <div className={styles.brand}>
        <LogoMark size={36} />
        {t('common.app_name')}
      </div>
      <ul className={styles.tabs}>
        {tabs.map((tab) => (
          <li key={tab.to}>
            <Link to={tab.to} className={cx(styles.tab)} aria-current={currentOf(tab)}>
              <span className={styles.pill}>
                <tab.Icon size={22} aria-hidden="true" />
              </span>
              {t(tab.label)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
