import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { LinkButton } from '@/ui/button';
import styles from './frozen-notice.module.css';
import { NoticeFrame } from './notice-frame';

type Props = { since: string; inset: boolean | undefined };

/** The owner has stopped withdrawals and exchanges; the security page lifts that. */
export function FrozenNotice({ since, inset }: Props) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  return (
    <NoticeFrame inset={inset} title={t('security.stop.done')}>
      <div className={styles.notice}>
        <p>{t('security.stop.since', { time: dateTime(since) })}</p>
        <p className={styles.muted}>{t('security.stop.since_text')}</p>
        <LinkButton tone="secondary" to="/ad-center/security">
          {t('title.security')}
        </LinkButton>
      </div>
    </NoticeFrame>
  );
}
