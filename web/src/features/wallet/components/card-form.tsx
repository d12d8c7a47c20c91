import { useTranslation } from 'react-i18next';
import type { Destinations } from '@/lib/api/types';
import { Button } from '@/ui/button';
import { Row, Rows } from '@/ui/card';
import { TextField } from '@/ui/field';
import { useForm } from '@/ui/use-form';
import { CARD_FIELDS, type CardValues, checkCard, grouped, MAX_LENGTHS, startCard } from '../destination';
import styles from '../pages/bind-card.module.css';
import { BindReview } from './bind-review';
import { useBinding } from './use-binding';

export type BindFormProps = { bound: Destinations; asksPassword: boolean; next: string | null };

/** The bank card to bind. Begins with the bound one's details but for its account number. */
export function CardForm({ bound, asksPassword, next }: BindFormProps) {
  const { t } = useTranslation();
  const form = useForm<CardValues>(startCard(bound), (values) => {
    const found = Object.entries(checkCard(values)).map(([field, error]) => [
      field,
      t(`bind.error.${error}`),
    ]);
    return Object.fromEntries(found);
  });
  const binding = useBinding({
    body: { kind: 'bank_card', ...form.values },
    fields: CARD_FIELDS,
    reject: form.reject,
    next,
  });
  const masked = bound.bank_card?.bank_account;
  return (
    <>
      <form className={styles.form} {...form.formProps(binding.review.open)}>
        <TextField
          {...form.fieldProps('card_name')}
          label={t('bind.field.card_name')}
          autoComplete="off"
          maxLength={MAX_LENGTHS.name}
          enterKeyHint="next"
        />
        <TextField
          {...form.fieldProps('user_name')}
          label={t('bind.field.user_name')}
          autoComplete="name"
          autoCapitalize="words"
          maxLength={MAX_LENGTHS.name}
          enterKeyHint="next"
        />
        <TextField
          {...form.fieldProps('mobile')}
          label={t('bind.field.mobile')}
          type="tel"
          inputMode="tel"
          autoComplete="tel"
          maxLength={MAX_LENGTHS.mobile}
          enterKeyHint="next"
        />
        <TextField
          {...form.fieldProps('bank_account')}
          label={t('bind.field.bank_account')}
          autoComplete="off"
          autoCapitalize="characters"
          autoCorrect="off"
          spellCheck={false}
          maxLength={MAX_LENGTHS.account}
          enterKeyHint="next"
          hint={masked ? t('bind.bound_hint', { masked }) : null}
        />
        <TextField
          {...form.fieldProps('branch_name')}
          label={t('bind.field.branch_name')}
          autoComplete="off"
          maxLength={MAX_LENGTHS.name}
          enterKeyHint="done"
        />
        <Button type="submit" large wide>
          {t('bind.submit')}
        </Button>
      </form>
      {binding.review.isOpen ? (
        <BindReview binding={binding} asksPassword={asksPassword} account={grouped(form.values.bank_account)}>
          <Rows>
            {CARD_FIELDS.filter((field) => field !== 'bank_account').map((field) => (
              <Row key={field} label={t(`bind.field.${field}`)}>
                {form.values[field]}
              </Row>
            ))}
          </Rows>
        </BindReview>
      ) : null}
    </>
  );
}
