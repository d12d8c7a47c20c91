import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { PostAnswer } from '@/lib/api/contract';
import { FormAlert } from '@/ui/field';
import { TextArea } from '@/ui/text-area';
import { REASON_LIMIT } from '../../act/inputs';
import { useProblemText, useSend } from '../../act/use-send';
import { consoleKeys } from '../../api/keys';
import { bodyOf, type NoticeDraft } from './draft';
import { SendButtons } from './send-buttons';

type Props = {
  draft: NoticeDraft;
  onBack: () => void;
  onSent: (answer: PostAnswer<'/admin/notification/create'>) => void;
};

/** Publishes a new announcement, or schedules it. */
export function PublishFoot({ draft, onBack, onSent }: Props) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  const problemText = useProblemText();
  const [reason, setReason] = useState('');
  const send = useSend('/admin/notification/create', {
    touches: [consoleKeys.list('/admin/announcement/list')],
    onSuccess: onSent,
  });
  const body = { ...bodyOf(draft), ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
  const isNow = draft.when === 'now';
  const count = draft.users.length;
  const text = () => {
    if (!isNow) return t('notices.schedule');
    return draft.to === 'all'
      ? t('notices.send_all')
      : t('notices.send', { count, formatted: integer(count) });
  };
  return (
    <>
      <TextArea
        label={t('act.reason')}
        optional
        limit={REASON_LIMIT}
        rows={2}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <p>{t(isNow ? 'notices.no_recall' : 'notices.recall')}</p>
      <FormAlert>{send.error ? problemText(send.error, t('notices.unknown')) : null}</FormAlert>
      <SendButtons text={text()} isBusy={send.isPending} onSend={() => send.mutate(body)} onBack={onBack} />
    </>
  );
}
