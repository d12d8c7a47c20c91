import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import type { Destinations } from '@/lib/api/types';
import { Button } from '@/ui/button';
import { Row, Rows } from '@/ui/card';
import { TextField } from '@/ui/field';
import stack from '@/ui/stack.module.css';
import { useForm } from '@/ui/use-form';
import { CARD_FIELDS, type CardValues, checkCard, grouped, MAX_LENGTHS, startCard } from '../destination';
import { BindReview } from './bind-review';
import { useBinding } from './use-binding';

export type BindFormProps = { bound: Destinations; asksPassword: boolean; next: string | null };

/** Keyboard and autofill of each field. There are no autofill tokens for banks, branches and accounts. */
const INPUTS: Record<keyof CardValues, ComponentProps<'input'>> = {
  card_name: { autoComplete: 'off', maxLength: MAX_LENGTHS.name },
  user_name: { autoComplete: 'name', autoCapitalize: 'words', maxLength: MAX_LENGTHS.name },
  mobile: { type: 'tel', inputMode: 'tel', autoComplete: 'tel', maxLength: MAX_LENGTHS.mobile },
  bank_account: {
    autoComplete: 'off',
    autoCapitalize: 'characters',
    autoCorrect: 'off',
    spellCheck: false,
    maxLength: MAX_LENGTHS.account,
  },
  branch_name: { autoComplete: 'off', maxLength: MAX_LENGTHS.name },
};

/** Binds a bank card. Prefilled from the bound card, except for its account number. */
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
      <form className={stack.gap4} {...form.formProps(binding.review.open)}>
        {CARD_FIELDS.map((field) => (
          <TextField
            key={field}
            {...form.fieldProps(field)}
            {...INPUTS[field]}
            label={t(`bind.field.${field}`)}
            enterKeyHint="next"
            hint={field === 'bank_account' && masked ? t('bind.bound_hint', { masked }) : null}
          />
        ))}
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
