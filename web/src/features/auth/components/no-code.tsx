import { useTranslation } from 'react-i18next';
import { cx } from '@/ui/cx';
import { useService } from '@/ui/service/service-store';
import styles from '../pages/auth.module.css';

/** Who has no authorisation code gets one from customer service. */
export function NoCode() {
  const { t } = useTranslation();
  const service = useService();
  return (
    <button
      type="button"
      className={cx(styles.link, styles.quiet)}
      onClick={() => service.open({ subtitle: t('service.need_code') })}
    >
      {t('auth.no_code')}
    </button>
  );
}
