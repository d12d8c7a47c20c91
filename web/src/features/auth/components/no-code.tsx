import { useTranslation } from 'react-i18next';
import { useService } from '@/domain/service/service-store';
import { cx } from '@/ui/cx';
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
