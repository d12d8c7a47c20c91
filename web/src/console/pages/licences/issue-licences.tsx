import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { NumberInput, REASON_LIMIT, ReasonInput, SwitchInput, TextInput } from '../../act/inputs';
import { optionalText, whole } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { IssuedCodes } from './issued-codes';

/** Keys that one call issues at most. */
const MOST_KEYS = 500;
const NOTE_LIMIT = 500;

const schema = z.object({
  count: whole(1, MOST_KEYS),
  note: optionalText(NOTE_LIMIT),
  activate: z.boolean(),
  reason: optionalText(REASON_LIMIT),
});

export function IssueLicences({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('console');
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/license/create',
        title: t('licences.issue_title'),
        submit: t('licences.issue'),
        schema,
        initial: { count: '1', note: '', activate: true, reason: '' },
        fields: (
          <>
            <NumberInput name="count" label={t('licences.count')} hint={t('licences.count_hint')} />
            <TextInput
              name="note"
              label={t('licences.note')}
              hint={t('licences.note_hint')}
              limit={NOTE_LIMIT}
              optional
            />
            <SwitchInput name="activate" label={t('licences.activate_switch')} />
            <ReasonInput optional />
          </>
        ),
        changes: ({ count, activate }) => [
          { what: t('licences.count'), before: null, after: count },
          {
            what: t('licences.activate'),
            before: null,
            after: t(activate ? 'licences.activates' : 'licences.activates_not'),
          },
        ],
        body: ({ count, note, activate, reason }) => ({
          count: Number(count),
          activate,
          ...(note === '' ? {} : { note }),
          ...(reason === '' ? {} : { reason }),
        }),
        done: ({ items }) => ({
          text: t('licences.issued', { count: items.length }),
          result: <IssuedCodes licences={items} />,
        }),
        touches: [consoleKeys.list('/admin/license/list')],
      }}
    />
  );
}
