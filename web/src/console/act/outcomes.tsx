import { X } from 'lucide-react';
import {
  Button as AriaButton,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { outcomes } from './announce';
import styles from './outcomes.module.css';

/** What the last acts have done, above every page. */
export function Outcomes() {
  const { t } = useTranslation('console');
  return (
    <ToastRegion queue={outcomes} className={styles.region ?? ''} aria-label={t('act.outcomes')}>
      {({ toast }) => (
        <Toast toast={toast} className={styles.toast ?? ''}>
          <ToastContent className={styles.content ?? ''}>
            <Text slot="title">{toast.content.text}</Text>
            {toast.content.links?.length ? (
              <span className={styles.links}>
                {toast.content.links.map(({ label, to }) => (
                  <Link key={to} to={to} onClick={() => outcomes.close(toast.key)}>
                    {label}
                  </Link>
                ))}
              </span>
            ) : null}
          </ToastContent>
          <AriaButton slot="close" className={styles.close ?? ''} aria-label={t('act.dismiss')}>
            <X size={16} aria-hidden="true" />
          </AriaButton>
        </Toast>
      )}
    </ToastRegion>
  );
}
