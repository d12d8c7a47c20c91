import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PostAnswer } from '@/lib/api/contract';
import { useIntentionKey } from '@/lib/idempotency';
import { PageHead } from '../../ui/page-head';
import { ReviewStep } from './review-step';
import { SentStep } from './sent-step';
import { StepMarks } from './step-marks';
import { useDraft } from './use-draft';
import { WriteStep } from './write-step';

/** An announcement to users: written, reviewed, sent. */
export default function NoticesPage() {
  const { t } = useTranslation('console');
  const draft = useDraft();
  const intention = useIntentionKey();
  const [isReviewed, setReviewed] = useState(false);
  const [sent, setSent] = useState<PostAnswer<'/admin/notification/create'> | null>(null);
  const step = sent ? 'sent' : isReviewed ? 'review' : 'write';
  return (
    <>
      <PageHead title={t('notices.title')} />
      <StepMarks step={step} />
      {sent ? (
        <SentStep sent={sent} onAnother={() => setSent(null)} />
      ) : isReviewed ? (
        <ReviewStep
          draft={draft.value}
          intention={intention}
          onBack={() => setReviewed(false)}
          onSent={(answer) => {
            draft.drop();
            setReviewed(false);
            setSent(answer);
          }}
        />
      ) : (
        <WriteStep draft={draft} onReview={() => setReviewed(true)} />
      )}
    </>
  );
}
