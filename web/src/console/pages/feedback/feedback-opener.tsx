import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { openDialog } from '../../act/dialog-host';
import { useMay } from '../../session/use-staff';
import { Dialog, DialogActions } from '../../ui/dialog';
import { CloseFeedback } from './close-feedback';
import type { Feedback } from './feedback';
import { FeedbackBody } from './feedback-body';
import styles from './feedback-opener.module.css';

/** The topic, which opens the whole feedback. */
export function FeedbackOpener({ feedback }: { feedback: Feedback }) {
  const { t } = useTranslation('console');
  const may = useMay();
  const isAnswerable = feedback.state === 'open' && may('POST /admin/feedback/close');
  const Shown = isAnswerable ? CloseFeedback : ReadFeedback;
  return (
    <button
      type="button"
      className={styles.topic}
      aria-label={t('feedback.open_topic', { topic: feedback.topic })}
      onClick={() => openDialog((close) => <Shown feedback={feedback} onClose={close} />)}
    >
      {feedback.topic}
    </button>
  );
}

function ReadFeedback({ feedback, onClose }: { feedback: Feedback; onClose: () => void }) {
  const { t } = useTranslation('console');
  return (
    <Dialog title={t('feedback.close.title', { topic: feedback.topic })} onClose={onClose} wide>
      <FeedbackBody feedback={feedback} />
      <DialogActions>
        <Button onClick={onClose}>{t('act.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
