import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import type { PostAnswer } from '@/lib/api/contract';
import { LinkButton } from '@/ui/button';
import { PageHead } from '../../ui/page-head';
import { PublishFoot } from './publish-foot';
import { ReviewStep } from './review-step';
import { SentStep } from './sent-step';
import { StepMarks } from './step-marks';
import { type Draft, useDraft } from './use-draft';
import { WriteStep } from './write-step';

type Sent = { answer: PostAnswer<'/admin/notification/create'>; at: string };

/** An announcement to users: written, reviewed, published or scheduled. */
export default function NewNoticePage() {
  const { t } = useTranslation('console');
  const draft = useDraft();
  useLinkedUser(draft);
  const [isReviewed, setReviewed] = useState(false);
  const [sent, setSent] = useState<Sent | null>(null);
  const step = sent ? 'sent' : isReviewed ? 'review' : 'write';
  return (
    <>
      <PageHead title={t('notices.new_title')}>
        <LinkButton tone="secondary" to="/notices">
          {t('notices.see_all')}
        </LinkButton>
      </PageHead>
      <StepMarks step={step} />
      {sent ? (
        <SentStep sent={sent.answer} at={sent.at} onAnother={() => setSent(null)} />
      ) : isReviewed ? (
        <ReviewStep draft={draft.value}>
          <PublishFoot
            draft={draft.value}
            onBack={() => setReviewed(false)}
            onSent={(answer) => {
              setSent({ answer, at: draft.value.at });
              draft.drop();
              setReviewed(false);
            }}
          />
        </ReviewStep>
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
