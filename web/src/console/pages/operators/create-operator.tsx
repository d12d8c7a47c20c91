import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput, TextInput } from '../../act/inputs';
import { optionalText, text } from '../../act/values';
import { consoleKeys } from '../../api/keys';

const NAME_LIMIT = 100;

export function CreateOperator({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('console');
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/operator/create',
        title: t('operators.create_title'),
        submit: t('operators.create'),
        schema: z.object({ name: text(NAME_LIMIT), reason: optionalText(REASON_LIMIT) }),
        initial: { name: '', reason: '' },
        fields: (
          <>
            <TextInput name="name" label={t('operators.name')} limit={NAME_LIMIT} />
            <ReasonInput optional />
          </>
        ),
        changes: ({ name }) => [{ what: t('operators.name'), before: null, after: name }],
        body: ({ name, reason }) => ({ name, ...(reason === '' ? {} : { reason }) }),
        done: ({ name }) => ({ text: t('operators.created', { name }) }),
        touches: [consoleKeys.list('/admin/operator/list')],
      }}
    />
  );
}
