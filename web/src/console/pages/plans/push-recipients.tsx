import { useFormContext } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ChoiceInput } from '../../act/inputs';
import { Panel } from '../../ui/panel';
import type { Operator, PushValues } from './push-values';
import { RecipientPicker } from './recipient-picker';

/** Who gets the plan: users by name, or all followers of an operator. */
export function PushRecipients({ operators }: { operators: readonly Operator[] }) {
  const { t } = useTranslation('console');
  const { watch } = useFormContext<PushValues>();
  const isByName = watch('to') === 'users';
  return (
    <Panel title={t('plans.recipients')}>
      <ChoiceInput
        name="to"
        label={t('plans.to')}
        options={(['users', 'followers'] as const).map((value) => ({
          value,
          label: t(`plans.tos.${value}`),
        }))}
      />
      {isByName ? <RecipientPicker /> : null}
      <ChoiceInput
        name="operator_id"
        label={t(isByName ? 'plans.on_behalf' : 'plans.operator')}
        optional={isByName}
        options={[
          { value: '', label: t(isByName ? 'plans.no_operator' : 'plans.choose_operator') },
          ...operators.map(({ id, name, followers }) => ({
            value: id,
            label: t('plans.operator_option', { name, count: followers }),
          })),
        ]}
      />
    </Panel>
  );
}
