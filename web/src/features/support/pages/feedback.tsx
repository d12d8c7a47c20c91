import { useMutation, useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { basicConfigQuery } from '@/domain/basic-config';
import { userInfoQuery } from '@/domain/user-info';
import { useErrorText } from '@/i18n/error-text';
import { ApiError } from '@/lib/api/error';
import type { UploadedFile } from '@/lib/api/types';
import { draftOf, dropDraft, keepDraft } from '@/lib/drafts';
import { useIntentionKey } from '@/lib/idempotency';
import { Button, LinkButton } from '@/ui/button';
import { FormAlert, TextField } from '@/ui/field';
import stack from '@/ui/stack.module.css';
import { EmptyState, Skeleton } from '@/ui/states';
import { TextArea } from '@/ui/text-area';
import { ImageUpload } from '@/ui/upload/image-upload';
import { DEFAULT_MAX_BYTES, doneUpload, useUploads } from '@/ui/upload/use-uploads';
import { useForm } from '@/ui/use-form';
import { submitFeedback } from '../api/calls';
import { CONTENT_MAX, checkFeedback, feedbackFieldOf, IMAGES_MAX, picturesState, TOPIC_MAX } from '../rules';
import styles from './feedback.module.css';

const DRAFT = 'feedback';

export default function FeedbackPage() {
  const { t, i18n } = useTranslation();
  const user = useQuery(userInfoQuery);
  const config = useQuery(basicConfigQuery(i18n.language));
  const [isSent, setSent] = useState(false);
  // Waits for the user, who owns the draft. If that fails, the form still works.
  if (user.isPending || config.isPending) return <FormSkeleton />;
  return (
    <div className={stack.gap4}>
      {isSent ? (
        <Sent onAnother={() => setSent(false)} />
      ) : (
        <>
          <p className={styles.lead}>{t('feedback.lead')}</p>
          <FeedbackForm
            maxBytes={config.data?.upload_max_bytes ?? DEFAULT_MAX_BYTES}
            onSent={() => setSent(true)}
          />
        </>
      )}
    </div>
  );
}

type FormProps = { maxBytes: number; onSent: () => void };

function FeedbackForm({ maxBytes, onSent }: FormProps) {
  const { t } = useTranslation();
  const { form, uploads, submit, alert, imagesError, isSending } = useFeedback({ maxBytes, onSent });
  return (
    <form className={stack.gap5} {...form.formProps(submit)}>
      <FormAlert>{alert}</FormAlert>
      <TextField
        {...form.fieldProps('topic')}
        label={t('feedback.topic')}
        placeholder={t('feedback.topic_placeholder')}
        maxLength={TOPIC_MAX}
        autoComplete="off"
      />
      <TextArea
        {...form.fieldProps('content')}
        label={t('feedback.content')}
        placeholder={t('feedback.content_placeholder')}
        limit={CONTENT_MAX}
      />
      <ImageUpload
        label={t('feedback.images')}
        uploads={uploads}
        limit={IMAGES_MAX}
        maxBytes={maxBytes}
        error={imagesError}
      />
      <Button type="submit" large wide busy={isSending}>
        {t('feedback.submit')}
      </Button>
    </form>
  );
}

type Draft = { topic: string; content: string; images: UploadedFile[] };

function useFeedback({ maxBytes, onSent }: FormProps) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const key = useIntentionKey();
  // A second tap may arrive before React disables the button.
  const running = useRef(false);
  const [draft] = useState(() => draftOf<Draft>(DRAFT));
  const [imagesError, setImagesError] = useState<string | null>(null);
  const uploads = useUploads(maxBytes, () =>
    (draft.images ?? []).map((image, index) => doneUpload(image, t('upload.picture', { number: index + 1 }))),
  );
  const form = useForm({ topic: draft.topic ?? '', content: draft.content ?? '' }, (values) => {
    const wrong = checkFeedback(values);
    return {
      topic: wrong.topic && t(`feedback.error.${wrong.topic}`),
      content: wrong.content && t(`feedback.error.${wrong.content}`),
    };
  });
  const { topic, content } = form.values;
  const { items } = uploads;
  const isDone = useRef(false);
  useEffect(() => {
    const images = items.flatMap(({ uploaded }) => uploaded ?? []);
    if (!isDone.current) keepDraft(DRAFT, { topic, content, images } satisfies Draft);
  }, [topic, content, items]);

  const mutation = useMutation({
    mutationFn: (body: Parameters<typeof submitFeedback>[0]) => submitFeedback(body, key.for(body)),
    meta: { inline: true },
    onSettled: (_created, error) => {
      running.current = false;
      key.settle(error);
    },
    onSuccess: () => {
      isDone.current = true;
      dropDraft(DRAFT);
      onSent();
    },
    onError: (error) => {
      const field = fieldOf(error);
      if (field === 'images') setImagesError(errorText(error));
      else if (field) form.reject({ [field]: errorText(error) });
    },
  });

  const submit = (values: { topic: string; content: string }) => {
    const pictures = picturesState(items.map(({ state }) => state));
    setImagesError(pictures === 'ready' ? null : t(`feedback.error.images_${pictures}`));
    if (pictures !== 'ready' || running.current) return;
    running.current = true;
    const images = items.flatMap(({ uploaded }) => uploaded?.id ?? []);
    mutation.mutate({ topic: values.topic.trim(), content: values.content.trim(), images });
  };
  const alert = mutation.isError && !fieldOf(mutation.error) ? errorText(mutation.error) : null;
  return { form, uploads, submit, alert, imagesError, isSending: mutation.isPending };
}

function fieldOf(error: unknown) {
  return error instanceof ApiError ? feedbackFieldOf(error.field) : null;
}

function Sent({ onAnother }: { onAnother: () => void }) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  // The focused form is gone; focusing its replacement announces it.
  useEffect(() => box.current?.focus(), []);
  return (
    <div ref={box} className={styles.sent} tabIndex={-1} role="status">
      <EmptyState
        icon={<CircleCheck size={28} />}
        title={t('feedback.success')}
        text={t('feedback.success_text')}
        action={
          <div className={styles.ways}>
            <LinkButton to="/ad-center" large wide>
              {t('feedback.home')}
            </LinkButton>
            <Button tone="quiet" wide onClick={onAnother}>
              {t('feedback.another')}
            </Button>
          </div>
        }
      />
    </div>
  );
}

function FormSkeleton() {
  const { t } = useTranslation();
  return (
    <div className={stack.gap5} role="status" aria-label={t('common.loading')}>
      <Skeleton height="2.5rem" />
      <Skeleton height="4.75rem" />
      <Skeleton height="10.75rem" />
      <Skeleton height="7rem" />
      <Skeleton height="3.25rem" />
    </div>
  );
}
