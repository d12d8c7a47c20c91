import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import type { PostAnswer } from '@/lib/api/contract';
import { PageHead } from '../../ui/page-head';
import { ReviewStep } from './review-step';
import { SentStep } from './sent-step';
import { StepMarks } from './step-marks';
import { type Draft, useDraft } from './use-draft';
import { WriteStep } from './write-step';

/** An announcement to users: written, reviewed, sent. */
export default function NoticesPage() {
  const { t } = useTranslation('console');
  const draft = useDraft();
  useLinkedUser(draft);
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

/** Adds the user whose page led here to the recipients, once. */
function useLinkedUser({ value, change }: Draft): void {
  const [params, setParams] = useSearchParams();
  const id = params.get('user');
  const name = params.get('name');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is what the effect is about
  useEffect(() => {
    if (id === null) return;
    const others = value.users.filter((user) => user.id !== id);
    change({ to: 'chosen', users: [...others, { id, name: name ?? id }] });
    setParams({}, { replace: true });
  }, [id]);
}
