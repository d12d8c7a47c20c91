import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router';
import { useMay } from '../../session/use-staff';
import styles from './user-tabs.module.css';

/** The pages about one user. */
export function UserTabs({ id }: { id: string }) {
  const { t } = useTranslation('console');
  const may = useMay();
  if (!may('GET /admin/user/flow') || !may('POST /admin/user/detail')) return null;
  return (
    <nav className={styles.tabs} aria-label={t('users.tabs')}>
      <NavLink className={styles.tab ?? ''} to={`/users/${id}`} end>
        {t('users.overview')}
      </NavLink>
      <NavLink className={styles.tab ?? ''} to={`/users/${id}/flow`}>
        {t('users.flow')}
      </NavLink>
    </nav>
  );
}
