import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { CopyableCode } from '@/ui/copyable-code';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput, TextInput } from '../../act/inputs';
import { optionalText, text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { PEM_LIMIT, PublicKeyInput } from './public-key-input';

const NAME_LIMIT = 100;

const schema = z.object({
  name: text(NAME_LIMIT),
  public_key: text(PEM_LIMIT),
  reason: optionalText(REASON_LIMIT),
});

export function CreateHost({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('console');
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/host/create',
        title: t('hosts.create_title'),
        submit: t('hosts.create'),
        schema,
        initial: { name: '', public_key: '', reason: '' },
        fields: (
          <>
            <TextInput name="name" label={t('hosts.name')} limit={NAME_LIMIT} />
            <PublicKeyInput />
            <ReasonInput optional />
          </>
        ),
        changes: ({ name }) => [
          { what: t('hosts.host'), before: null, after: name },
          { what: t('hosts.valid_keys'), before: null, after: '1' },
        ],
        body: ({ reason, ...host }) => ({ ...host, ...(reason === '' ? {} : { reason }) }),
        done: ({ name, keys }) => ({
          text: t('hosts.created_done', { name }),
          result: keys.map(({ kid }) => <CopyableCode key={kid} text={kid} label={t('hosts.copy_kid')} />),
        }),
        touches: [consoleKeys.list('/admin/host/list')],
      }}
    />
  );
}
