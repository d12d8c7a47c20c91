import { useTranslation } from 'react-i18next';
import { useService } from '@/domain/service/service-store';
import { useFormats } from '@/i18n/format';
import { Button } from '@/ui/button';
import styles from './cooling-off-notice.module.css';
import { NoticeFrame } from './notice-frame';

type Props = { until: string; inset: boolean | undefined };

/** Why and until when withdrawals and exchanges wait, and whom to contact if the change was not the user's. */
export function CoolingOffNotice({ until, inset }: Props) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const service = useService();
  const title = t('withdraw.cooling_off.title', { time: dateTime(until) });
  return (
    <NoticeFrame inset={inset} title={title}>
      <div className={styles.notice}>
        <p className={styles.muted}>{t('withdraw.cooling_off.text')}</p>
        <p>{t('withdraw.cooling_off.not_you')}</p>
        <Button
          tone="secondary"
          onClick={() => service.open({ subject: title, subtitle: t('withdraw.cooling_off.service') })}
        >
          {t('error.contact_service')}
        </Button>
      </div>
    </NoticeFrame>
  );
}
