import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useFormats } from '@/i18n/format';
import { ActDialog } from '../../act/act-dialog';
import { ManyInput, REASON_LIMIT, ReasonInput, TextInput } from '../../act/inputs';
import { optionalText, text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { CHANNELS, type Channel, type Source } from './source-values';

const LONGEST_NAME = 64;
const FIRST: Channel[] = ['file'];

/** Registers a source, or changes how it may report. */
export function SaveSource({ source, onClose }: { source: Source | null; onClose: () => void }) {
  const { t } = useTranslation('console');
  const { list } = useFormats();
  const textOf = (channels: readonly Channel[]) =>
    list(channels.map((channel) => t(`delivery.channel.${channel}`)));
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/source/save',
        title: source ? t('delivery.change_title', { source: source.source }) : t('delivery.register'),
        submit: t(source ? 'delivery.save' : 'delivery.register'),
        intro: <p>{t('delivery.save_text')}</p>,
        schema: z.object({
          source: text(LONGEST_NAME),
          channels: z.array(z.enum(CHANNELS)).min(1, 'required'),
          reason: optionalText(REASON_LIMIT),
        }),
        initial: { source: source?.source ?? '', channels: source?.channels ?? FIRST, reason: '' },
        fields: (
          <>
            {source ? null : (
              <TextInput
                name="source"
                label={t('delivery.source')}
                hint={t('delivery.source_hint')}
                limit={LONGEST_NAME}
              />
            )}
            <ManyInput
              name="channels"
              label={t('delivery.channels')}
              options={CHANNELS.map((value) => ({ value, label: t(`delivery.channel.${value}`) }))}
            />
            <ReasonInput optional />
          </>
        ),
        changes: (values) => [
          ...(source ? [] : [{ what: t('delivery.source'), before: null, after: values.source }]),
          {
            what: t('delivery.channels'),
            before: source ? textOf(source.channels) : null,
            after: textOf(values.channels),
          },
        ],
        body: ({ reason, ...values }) => ({ ...values, ...(reason === '' ? {} : { reason }) }),
        done: (_answer, values) => ({ text: t('delivery.save_done', { source: values.source }) }),
        touches: [consoleKeys.list('/admin/source/list')],
      }}
    />
  );
}
