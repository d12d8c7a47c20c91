import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import styles from './send-buttons.module.css';

type Props = { text: string; isBusy: boolean; onSend: () => void; onBack: () => void };

/** The end of the review. */
export function SendButtons({ text, isBusy, onSend, onBack }: Props) {
  const { t } = useTranslation('console');
  return (
    <div className={styles.buttons}>
      <Button busy={isBusy} onClick={onSend}>
        {text}
      </Button>
      <Button tone="quiet" disabled={isBusy} onClick={onBack}>
        {t('notices.back')}
      </Button>
    </div>
  );
}
