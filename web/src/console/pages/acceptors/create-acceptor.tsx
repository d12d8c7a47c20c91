import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { ChoiceInput, NumberInput, REASON_LIMIT, ReasonInput, TextInput } from '../../act/inputs';
import { decimal, optionalText, text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { KINDS } from './cells';

const NAME_LIMIT = 100;

const schema = z.object({
  name: text(NAME_LIMIT),
  kind: z.enum(KINDS),
  rating: decimal(1),
  reason: optionalText(REASON_LIMIT),
});

const INITIAL: z.infer<typeof schema> = { name: '', kind: 'personal', rating: '0', reason: '' };

export function CreateAcceptor({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('console');
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/acceptor/create',
        title: t('acceptors.create_title'),
        submit: t('acceptors.create'),
        schema,
        initial: INITIAL,
        fields: (
          <>
            <TextInput name="name" label={t('acceptors.name')} limit={NAME_LIMIT} />
            <ChoiceInput
              name="kind"
              label={t('acceptors.kind')}
              options={KINDS.map((value) => ({ value, label: t(`acceptors.kinds.${value}`) }))}
            />
            <NumberInput name="rating" label={t('acceptors.rating')} hint={t('acceptors.rating_hint')} />
            <ReasonInput optional />
          </>
        ),
        changes: ({ name, kind, rating }) => [
          { what: t('acceptors.name'), before: null, after: name },
          { what: t('acceptors.kind'), before: null, after: t(`acceptors.kinds.${kind}`) },
          { what: t('acceptors.rating'), before: null, after: rating },
        ],
        body: ({ reason, ...acceptor }) => ({ ...acceptor, ...(reason === '' ? {} : { reason }) }),
        done: ({ name }) => ({ text: t('acceptors.created', { name }) }),
        touches: [consoleKeys.list('/admin/acceptor/list')],
      }}
    />
  );
}
