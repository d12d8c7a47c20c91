import { zodResolver } from '@hookform/resolvers/zod';
import { FormProvider, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import stack from '@/ui/stack.module.css';
import { AmountInput, ChoiceInput } from '../../act/inputs';
import { Panel } from '../../ui/panel';
import { PlainTable } from '../../ui/plain-table';
import styles from './columns-step.module.css';
import type { ImportFile } from './import-file';
import { FIELDS, type Mapping, MODELS, mappingSchema, REQUIRED, usedTwice } from './mapping';
import { StepActions } from './step-actions';

type Props = {
  chosen: ImportFile;
  initial: Mapping;
  /** What the server said about it. */
  error: string | null;
  isBusy: boolean;
  onBack: () => void;
  onCheck: (mapping: Mapping) => void;
};

/** Which column is which field, and what rows without money cost and earn. */
export function ColumnsStep({ chosen, initial, error, isBusy, onBack, onCheck }: Props) {
  const { t } = useTranslation('console');
  const form = useForm<Mapping, unknown, Mapping>({
    resolver: zodResolver(mappingSchema),
    defaultValues: initial,
  });
  const check = form.handleSubmit((mapping) => {
    const [twice] = usedTwice(mapping);
    if (twice === undefined) return onCheck(mapping);
    const message = t('delivery.used_twice');
    form.setError(`columns.${twice}`, { type: 'server', message }, { shouldFocus: true });
  });
  const { columns } = chosen.sample;
  const names = [...new Set(columns)].filter((name) => name !== '');
  return (
    <FormProvider {...form}>
      <form className={stack.gap4} noValidate autoComplete="off" onSubmit={check}>
        <Panel title={t('delivery.sample')}>
          <PlainTable
            label={t('delivery.sample')}
            rows={chosen.sample.rows}
            rowKey={(_, index) => String(index)}
            columns={columns.map((name, index) => ({
              id: `${index} ${name}`,
              header: name,
              cell: (row: readonly string[]) => row[index] ?? '',
            }))}
          />
        </Panel>
        <Panel title={t('delivery.steps.columns')}>
          <p>{t('delivery.columns_text', { source: chosen.source })}</p>
          <div className={styles.fields}>
            {FIELDS.map((field) => (
              <ChoiceInput
                key={field}
                name={`columns.${field}`}
                label={t(`delivery.fields.${field}`)}
                optional={!REQUIRED.includes(field)}
                hint={t(`delivery.field_hints.${field}`)}
                options={[
                  { value: '', label: t('delivery.no_column') },
                  ...names.map((name) => ({ value: name, label: name })),
                ]}
              />
            ))}
          </div>
        </Panel>
        <Panel title={t('delivery.pricing')}>
          <p>{t('delivery.pricing_text')}</p>
          <div className={styles.fields}>
            <ChoiceInput
              name="model"
              label={t('delivery.model')}
              options={MODELS.map((value) => ({ value, label: t(`delivery.models.${value}`) }))}
            />
            {form.watch('model') === 'none' ? null : (
              <>
                <AmountInput name="cost" label={t('delivery.cost')} />
                <AmountInput name="earned" label={t('delivery.earned')} />
              </>
            )}
          </div>
        </Panel>
        <FormAlert>{error}</FormAlert>
        <StepActions>
          <Button tone="secondary" disabled={isBusy} onClick={onBack}>
            {t('delivery.back')}
          </Button>
          <Button type="submit" busy={isBusy}>
            {t('delivery.check')}
          </Button>
        </StepActions>
      </form>
    </FormProvider>
  );
}
