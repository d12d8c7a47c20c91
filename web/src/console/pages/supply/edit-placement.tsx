import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { components } from '@/lib/api/schema';
import { ActDialog } from '../../act/act-dialog';
import { ChoiceInput, ReasonInput } from '../../act/inputs';
import { consoleKeys } from '../../api/keys';
import { Facts } from '../../ui/facts';
import { differences } from './differences';
import { PlacementFields, placementBody, placementShape, wordsOf } from './placement-values';
import { SUPPLY_STATES } from './supply-state';

const schema = z.object({ ...placementShape, state: z.enum(SUPPLY_STATES) });

type Props = { placement: components['schemas']['Placement']; onClose: () => void };

/** Changes a placement, or pauses placing plans on it. */
export function EditPlacement({ placement, onClose }: Props) {
  const { t } = useTranslation('console');
  const { id, name, format, state } = placement;
  const countries = placement.countries.join(', ');
  const systems = placement.systems.join(', ');
  const initial: z.infer<typeof schema> = { name, format, state, countries, systems, reason: '' };
  const everywhere = t('supply.placement.everywhere');
  const all = t('supply.placement.all_systems');
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/placement/edit',
        title: t('supply.placement.edit_title'),
        submit: t('supply.placement.save'),
        intro: <Facts facts={[{ label: t('supply.placement.network'), value: placement.network_name }]} />,
        schema,
        initial,
        fields: (
          <>
            <PlacementFields />
            <ChoiceInput
              name="state"
              label={t('supply.state')}
              options={SUPPLY_STATES.map((value) => ({ value, label: t(`supply.states.${value}`) }))}
            />
            <ReasonInput optional />
          </>
        ),
        changes: (values) =>
          differences(
            [
              { what: t('supply.placement.name'), before: name, after: values.name },
              { what: t('supply.placement.format'), before: format, after: values.format },
              {
                what: t('supply.placement.countries'),
                before: countries || everywhere,
                after: wordsOf(values.countries.toUpperCase()).join(', ') || everywhere,
              },
              {
                what: t('supply.placement.systems'),
                before: systems || all,
                after: wordsOf(values.systems).join(', ') || all,
              },
              {
                what: t('supply.state'),
                before: t(`supply.states.${state}`),
                after: t(`supply.states.${values.state}`),
              },
            ],
            t('supply.no_change'),
          ),
        body: ({ state: wanted, ...values }) => ({
          placement_id: id,
          state: wanted,
          ...placementBody(values),
        }),
        done: (answer) => ({ text: t('supply.placement.edited', { name: answer.name }) }),
        touches: [consoleKeys.list('/admin/placement/list')],
      }}
    />
  );
}
