import { zodResolver } from '@hookform/resolvers/zod';
import { FormProvider, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useFormats } from '@/i18n/format';
import { Button } from '@/ui/button';
import stack from '@/ui/stack.module.css';
import { ChoiceInput } from '../../act/inputs';
import { FIELDS, type Field, firstMapping, isKnown, type Mapping, NEEDED, usedTwice } from './mapping';
import styles from './mapping-form.module.css';

const column = z.string();
const needed = z.string().min(1, 'required');
const schema = z.object({
  date: needed,
  amount: needed,
  currency: needed,
  text: needed,
  party: column,
  bank_reference: column,
  end_to_end_id: column,
  balance: column,
  account: column,
});

type Props = {
  columns: readonly string[];
  /** The fields that the server has not found. */
  lacking: readonly Field[];
  isBusy: boolean;
  onMapping: (mapping: Mapping) => void;
};

/** Which column of a CSV file has what. */
export function MappingForm({ columns, lacking, isBusy, onMapping }: Props) {
  const { t } = useTranslation('console');
  const { list } = useFormats();
  const form = useForm<Mapping, unknown, Mapping>({
    resolver: zodResolver(schema),
    defaultValues: firstMapping(columns),
  });
  const submit = form.handleSubmit((mapping) => {
    const [twice] = usedTwice(mapping);
    if (twice === undefined) return onMapping(mapping);
    form.setError(twice, { type: 'server', message: t('bank.used_twice') }, { shouldFocus: true });
  });
  const names = [...new Set(columns)].filter((name) => name !== '');
  return (
    <FormProvider {...form}>
      <form className={stack.gap4} noValidate autoComplete="off" onSubmit={submit}>
        {lacking.length > 0 ? (
          <p role="alert">
            {t('bank.columns_lacking', { fields: list(lacking.map((field) => t(`bank.fields.${field}`))) })}
          </p>
        ) : null}
        <p>{t(isKnown(columns) ? 'bank.columns_known' : 'bank.columns_text')}</p>
        <div className={styles.fields}>
          {FIELDS.map((field) => (
            <ChoiceInput
              key={field}
              name={field}
              label={t(`bank.fields.${field}`)}
              optional={!NEEDED.includes(field)}
              options={[
                { value: '', label: t('bank.no_column') },
                ...names.map((name) => ({ value: name, label: name })),
              ]}
            />
          ))}
        </div>
        <div>
          <Button type="submit" busy={isBusy}>
            {t('bank.send_again')}
          </Button>
        </div>
      </form>
    </FormProvider>
  );
}
