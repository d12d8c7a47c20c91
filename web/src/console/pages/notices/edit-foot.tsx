import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { hasReason } from '@/lib/api/error';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import { TextArea } from '@/ui/text-area';
import { REASON_LIMIT } from '../../act/inputs';
import { useProblemText, useSend } from '../../act/use-send';
import { consoleKeys } from '../../api/keys';
import { changesOf, type NoticeEdit } from './edit';
import { SendButtons } from './send-buttons';

/** The refusal of a change that is based on an older version. */
const CHANGED_MEANWHILE = 'CHANGED_MEANWHILE';

type Props = {
  edit: NoticeEdit;
  onBack: () => void;
  onSaved: () => void;
  /** Reads what stands now; what was typed is kept. */
  onReadAnew: () => Promise<void>;
};

/** Saves a scheduled announcement. */
export function EditFoot({ edit, onBack, onSaved, onReadAnew }: Props) {
  const { t } = useTranslation('console');
  const problemText = useProblemText();
  const [reason, setReason] = useState('');
  const [isReading, setReading] = useState(false);
  const { id, version } = edit.base;
  const send = useSend('/admin/announcement/edit', {
    touches: [
      consoleKeys.list('/admin/announcement/list'),
      consoleKeys.one('/admin/announcement/detail', id),
    ],
    onSuccess: onSaved,
  });
  const body = {
    id,
    version,
    ...changesOf(edit),
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
  };
  const isStale = hasReason(send.error, CHANGED_MEANWHILE);
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
      <FormAlert>{isStale ? t('notices.changed') : send.error ? problemText(send.error) : null}</FormAlert>
      {isStale ? (
        <div>
          <Button
            busy={isReading}
            onClick={() => {
              setReading(true);
              // What failed can be tried again by the same button.
              onReadAnew().catch(() => setReading(false));
            }}
          >
            {t('notices.read_anew')}
          </Button>
        </div>
      ) : (
        <SendButtons
          text={t('notices.save')}
          isBusy={send.isPending}
          onSend={() => send.mutate(body)}
          onBack={onBack}
        />
      )}
    </>
  );
}
