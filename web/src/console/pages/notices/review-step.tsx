import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/i18n/error-text';
import { useFormats } from '@/i18n/format';
import type { PostAnswer } from '@/lib/api/contract';
import { hasReason, isNetworkError } from '@/lib/api/error';
import type { IntentionKey } from '@/lib/idempotency';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import { TextArea } from '@/ui/text-area';
import { REASON_LIMIT } from '../../act/inputs';
import { staffPost } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import { SECOND_FACTOR_CANCELLED } from '../../api/second-factor';
import { Facts } from '../../ui/facts';
import { Panel } from '../../ui/panel';
import { UserLink } from '../../ui/user-link';
import { bodyOf, languagesThat, type NoticeDraft, nameOf } from './draft';
import { Fallbacks } from './fallbacks';
import { PhonePreview } from './phone-preview';
import styles from './review-step.module.css';

type Props = {
  draft: NoticeDraft;
  /** Outlives this step: going back and forth must not send twice what may have been sent. */
  intention: IntentionKey;
  onBack: () => void;
  onSent: (answer: PostAnswer<'/admin/notification/create'>) => void;
};

/** What is sent to whom, before it is sent. */
export function ReviewStep({ draft, intention, onBack, onSent }: Props) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  const queryClient = useQueryClient();
  const [reason, setReason] = useState('');
  const send = useMutation({
    mutationFn: () => {
      const body = { ...bodyOf(draft), ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
      return staffPost('/admin/notification/create', body, { idempotencyKey: intention.for(body) });
    },
    onSettled: (_answer, error) => {
      intention.settle(error);
      void queryClient.invalidateQueries({ queryKey: consoleKeys.list('/admin/audit/list') });
    },
    onSuccess: onSent,
  });
  const written = languagesThat(draft, 'full');
  const isToAll = draft.to === 'all';
  const count = draft.users.length;
  return (
    <div className={styles.step}>
      <Panel title={t('notices.steps.review')}>
        <Facts
          facts={[
            { label: t('notices.receivers'), value: <Receivers draft={draft} /> },
            { label: t('notices.category'), value: t(`notices.categories.${draft.category}`) },
            { label: t('notices.written'), value: written.map(nameOf).join(', ') },
          ]}
        />
        <Fallbacks draft={draft} />
      </Panel>
      <Panel title={t('notices.preview')}>
        <div className={styles.previews}>
          {written.map((code) => (
            <section key={code} className={styles.preview} aria-label={nameOf(code)}>
              <h3 className={styles.language}>{nameOf(code)}</h3>
              <PhonePreview draft={draft} language={code} />
            </section>
          ))}
        </div>
      </Panel>
      <TextArea
        label={t('act.reason')}
        optional
        limit={REASON_LIMIT}
        rows={2}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <p>{t('notices.no_recall')}</p>
      <FormAlert>{send.error ? problemOf(send.error) : null}</FormAlert>
      <div className={styles.buttons}>
        <Button busy={send.isPending} onClick={() => send.mutate()}>
          {isToAll ? t('notices.send_all') : t('notices.send', { count, formatted: integer(count) })}
        </Button>
        <Button tone="quiet" disabled={send.isPending} onClick={onBack}>
          {t('notices.back')}
        </Button>
      </div>
    </div>
  );

  function problemOf(error: Error): string {
    if (hasReason(error, SECOND_FACTOR_CANCELLED)) return t('act.cancelled');
    return isNetworkError(error) ? t('notices.unknown') : errorText(error);
  }
}

function Receivers({ draft: { to, users } }: { draft: NoticeDraft }) {
  const { t } = useTranslation('console');
  if (to === 'all') return t('notices.all');
  return (
    <ul className={styles.receivers}>
      {users.map(({ id, name }) => (
        <li key={id}>
          <UserLink id={id} name={name} />
        </li>
      ))}
    </ul>
  );
}
