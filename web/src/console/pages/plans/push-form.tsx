import { useFormContext } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { compare } from '@/lib/money';
import { Button } from '@/ui/button';
import { AmountInput, ChoiceInput, LongInput, NumberInput, TextInput } from '../../act/inputs';
import { amountOf } from '../../act/values';
import { Panel } from '../../ui/panel';
import { AudienceText, GENDERS } from './audience';
import styles from './push-form.module.css';
import { PushRecipients } from './push-recipients';
import { type Operator, type Product, type PushValues, TEXT_LIMIT } from './push-values';

type Props = {
  products: readonly Product[];
  operators: readonly Operator[];
  onReview: (values: PushValues) => void;
};

/** The form of a push: the proposal and its recipients. */
export function PushForm({ products, operators, onReview }: Props) {
  const { t } = useTranslation('console');
  const { money } = useFormats();
  const { handleSubmit, setError, watch } = useFormContext<PushValues>();
  const product = products.find(({ id }) => id === watch('product_id'));
  const range = product
    ? t('plans.range_of', { min: money(product.put_min), max: money(product.put_max) })
    : null;
  const review = handleSubmit((values) => {
    const typed = amountOf(values.amount);
    if (product && range && (compare(typed, product.put_min) < 0 || compare(typed, product.put_max) > 0)) {
      setError('amount', { type: 'server', message: range }, { shouldFocus: true });
    } else {
      onReview(values);
    }
  });
  return (
    <form className={styles.form} noValidate autoComplete="off" onSubmit={review}>
      <Panel title={t('plans.what')}>
        <ChoiceInput
          name="product_id"
          label={t('plans.product')}
          options={[
            { value: '', label: t('plans.choose_product') },
            ...products.map(({ id, name, category }) => ({ value: id, label: `${name} · ${category}` })),
          ]}
        />
        <AmountInput name="amount" label={t('plans.proposed_amount')} {...(range ? { hint: range } : {})} />
        <LongInput name="put_content" label={t('plans.put_content')} limit={TEXT_LIMIT} />
        <LongInput name="put_rule" label={t('plans.put_rule')} limit={TEXT_LIMIT} optional />
      </Panel>
      <Panel title={t('plans.audience')}>
        <ChoiceInput
          name="targeting"
          label={t('plans.shown_to')}
          options={(['product', 'own'] as const).map((value) => ({
            value,
            label: t(`plans.targetings.${value}`),
          }))}
        />
        {watch('targeting') === 'own' ? (
          <OwnAudience />
        ) : product ? (
          <p>
            <AudienceText audience={product.audience} />
          </p>
        ) : null}
      </Panel>
      <PushRecipients operators={operators} />
      <div>
        <Button type="submit">{t('plans.review')}</Button>
      </div>
    </form>
  );
}

function OwnAudience() {
  const { t } = useTranslation('console');
  return (
    <>
      <TextInput name="regions" label={t('plans.regions')} hint={t('plans.regions_hint')} optional />
      <NumberInput name="age_min" label={t('plans.age_min')} />
      <NumberInput name="age_max" label={t('plans.age_max')} />
      <ChoiceInput
        name="gender"
        label={t('plans.gender')}
        options={GENDERS.map((value) => ({ value, label: t(`plans.genders.${value}`) }))}
      />
    </>
  );
}
