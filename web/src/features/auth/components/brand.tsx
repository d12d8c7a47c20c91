import { useTranslation } from 'react-i18next';
import { LogoMark } from '@/ui/logo';
import styles from './brand.module.css';

export function Brand() {
  const { t } = useTranslation();
  return (
    <div className={styles.brand}>
      <LogoMark size={44} />
      {t('common.app_name')}
    </div>
  );
}
