import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { CopyableCode } from '@/ui/copyable-code';
import { ActDialog } from '../../act/act-dialog';
import { NumberInput, REASON_LIMIT, ReasonInput, SwitchInput, TextInput } from '../../act/inputs';
import { optionalText, text, whole } from '../../act/values';
import { consoleKeys } from '../../api/keys';

export const NETWORK_NAME_LIMIT = 100;
/** Seconds: a network that reports once a day. */
export const LONGEST_DELAY = 86_400;
const SOURCE_LIMIT = 64;

const schema = z.object({
  name: text(NETWORK_NAME_LIMIT),
  source: text(SOURCE_LIMIT),
  report_delay_seconds: whole(0, LONGEST_DELAY),
  simulated: z.boolean(),
  reason: optionalText(REASON_LIMIT),
});

const INITIAL = { name: '', source: '', report_delay_seconds: '300', simulated: false, reason: '' };

/** Registers a network, and shows its first key. */
export function CreateNetwork({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('console');
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/network/create',
        title: t('supply.network.create_title'),
        submit: t('supply.network.create'),
        schema,
        initial: INITIAL,
        fields: (
          <>
            <TextInput name="name" label={t('supply.network.name')} limit={NETWORK_NAME_LIMIT} />
            <TextInput
              name="source"
              label={t('supply.network.source')}
              hint={t('supply.network.source_hint')}
              limit={SOURCE_LIMIT}
            />
            <NumberInput
              name="report_delay_seconds"
              label={t('supply.network.delay_input')}
              hint={t('supply.network.delay_hint')}
            />
            <SwitchInput
              name="simulated"
              label={t('supply.network.simulated_switch')}
              hint={t('supply.network.simulated_hint')}
            />
            <ReasonInput optional />
          </>
        ),
        changes: ({ name, source, report_delay_seconds: delay, simulated }) => [
          { what: t('supply.network.name'), before: null, after: name },
          { what: t('supply.network.source'), before: null, after: source },
          {
            what: t('supply.network.delay'),
            before: null,
            after: t('supply.network.seconds', { count: Number(delay) }),
          },
          {
            what: t('supply.network.delivery'),
            before: null,
            after: t(simulated ? 'supply.network.simulated' : 'supply.network.real'),
          },
          { what: t('supply.network.first_key'), before: null, after: t('supply.network.shown_once') },
        ],
        body: ({ report_delay_seconds: delay, reason, ...network }) => ({
          ...network,
          report_delay_seconds: Number(delay),
          ...(reason === '' ? {} : { reason }),
        }),
        done: ({ name, key }) => ({
          text: t('supply.network.created_done', { name }),
          result: <CopyableCode text={key} label={t('supply.network.copy_key')} />,
        }),
        touches: [consoleKeys.list('/admin/network/list')],
      }}
    />
  );
}
