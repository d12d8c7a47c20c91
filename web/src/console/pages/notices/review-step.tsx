import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { PostAnswer } from '@/lib/api/contract';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import { TextArea } from '@/ui/text-area';
import { REASON_LIMIT } from '../../act/inputs';
import { useProblemText, useSend } from '../../act/use-send';
import { Facts } from '../../ui/facts';
import { Panel } from '../../ui/panel';
import { UserLink } from '../../ui/user-link';
import { bodyOf, languagesThat, type NoticeDraft, nameOf } from './draft';
import { Fallbacks } from './fallbacks';
import { PhonePreview } from './phone-preview';
import styles from './review-step.module.css';

type Props = {
  draft: NoticeDraft;
  onBack: () => void;
  onSent: (answer: PostAnswer<'/admin/notification/create'>) => void;
};

/** The announcement and its recipients, before it is sent. */
export function ReviewStep({ draft, onBack, onSent }: Props) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  const problemText = useProblemText();
  const [reason, setReason] = useState('');
  const send = useSend('/admin/notification/create', { touches: [], onSuccess: onSent });
  const body = { ...bodyOf(draft), ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
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
      <FormAlert>{send.error ? problemText(send.error, t('notices.unknown')) : null}</FormAlert>
      <div className={styles.buttons}>
        <Button busy={send.isPending} onClick={() => send.mutate(body)}>
          {isToAll ? t('notices.send_all') : t('notices.send', { count, formatted: integer(count) })}
        </Button>
        <Button tone="quiet" disabled={send.isPending} onClick={onBack}>
          {t('notices.back')}
        </Button>
      </div>
    </div>
  );
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
