import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { components } from '@/lib/api/schema';
import { ActDialog } from '../../act/act-dialog';
import { ChoiceInput, NumberInput, REASON_LIMIT, ReasonInput, TextInput } from '../../act/inputs';
import { optionalText, text, whole } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { LONGEST_DELAY, NETWORK_NAME_LIMIT } from './create-network';
import { differences } from './differences';
import { SUPPLY_STATES } from './supply-state';

const schema = z.object({
  name: text(NETWORK_NAME_LIMIT),
  state: z.enum(SUPPLY_STATES),
  report_delay_seconds: whole(0, LONGEST_DELAY),
  reason: optionalText(REASON_LIMIT),
});

type Props = { network: components['schemas']['Network']; onClose: () => void };

/** Changes a network, or pauses placing plans on it. */
export function EditNetwork({ network, onClose }: Props) {
  const { t } = useTranslation('console');
  const { id, name, state, report_delay_seconds: delay } = network;
  const initial: z.infer<typeof schema> = { name, state, report_delay_seconds: String(delay), reason: '' };
  const seconds = (count: number) => t('supply.network.seconds', { count });
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/network/edit',
        title: t('supply.network.edit_title'),
        submit: t('supply.network.save'),
        schema,
        initial,
        fields: (
          <>
            <TextInput name="name" label={t('supply.network.name')} limit={NETWORK_NAME_LIMIT} />
            <ChoiceInput
              name="state"
              label={t('supply.state')}
              options={SUPPLY_STATES.map((value) => ({ value, label: t(`supply.states.${value}`) }))}
            />
            <NumberInput
              name="report_delay_seconds"
              label={t('supply.network.delay_input')}
              hint={t('supply.network.delay_hint')}
            />
            <ReasonInput optional />
          </>
        ),
        changes: (values) =>
          differences(
            [
              { what: t('supply.network.name'), before: name, after: values.name },
              {
                what: t('supply.state'),
                before: t(`supply.states.${state}`),
                after: t(`supply.states.${values.state}`),
              },
              {
                what: t('supply.network.delay'),
                before: seconds(delay),
                after: seconds(Number(values.report_delay_seconds)),
              },
            ],
            t('supply.no_change'),
          ),
        body: (values) => ({
          network_id: id,
          name: values.name,
          state: values.state,
          report_delay_seconds: Number(values.report_delay_seconds),
          ...(values.reason === '' ? {} : { reason: values.reason }),
        }),
        done: (answer) => ({
          text: t('supply.network.edited', { name: answer.name }),
          links: [{ label: t('supply.network.see_placements'), to: `/placements?network_id=${id}` }],
        }),
        touches: [consoleKeys.list('/admin/network/list'), consoleKeys.list('/admin/placement/list')],
      }}
    />
  );
}
