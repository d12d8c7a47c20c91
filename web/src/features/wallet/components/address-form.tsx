import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { Row, Rows } from '@/ui/card';
import { TextField } from '@/ui/field';
import { QuickChoices } from '@/ui/quick-choices';
import stack from '@/ui/stack.module.css';
import { useForm } from '@/ui/use-form';
import {
  ADDRESS_FIELDS,
  type AddressValues,
  checkAddress,
  MAX_LENGTHS,
  NETWORKS,
  startAddress,
} from '../destination';
import styles from './address-form.module.css';
import { BindReview } from './bind-review';
import type { BindFormProps } from './card-form';
import { useBinding } from './use-binding';

/** Binds a wallet address. */
export function AddressForm({ bound, asksPassword, next }: BindFormProps) {
  const { t } = useTranslation();
  const form = useForm<AddressValues>(startAddress(bound), (values) => {
    const found = Object.entries(checkAddress(values)).map(([field, error]) => [
      field,
      t(`bind.error.${error}`),
    ]);
    return Object.fromEntries(found);
  });
  const binding = useBinding({
    body: { kind: 'wallet_address', ...form.values },
    fields: ADDRESS_FIELDS,
    reject: form.reject,
    next,
  });
  const masked = bound.wallet_address?.address;
  return (
    <>
      <form className={stack.gap4} {...form.formProps(binding.review.open)}>
        <TextField
          {...form.fieldProps('network')}
          label={t('bind.field.network')}
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          maxLength={MAX_LENGTHS.network}
          enterKeyHint="next"
        />
        <QuickChoices
          className={styles.networks}
          label={t('bind.networks')}
          choices={NETWORKS.map((network) => ({
            key: network,
            label: network,
            isChosen: form.values.network === network,
            onChoose: () => form.setValue('network', network),
          }))}
        />
        <TextField
          {...form.fieldProps('address')}
          label={t('bind.field.address')}
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={MAX_LENGTHS.address}
          enterKeyHint="done"
          hint={masked ? t('bind.bound_hint', { masked }) : null}
        />
        <Button type="submit" large wide>
          {t('bind.submit')}
        </Button>
      </form>
      {binding.review.isOpen ? (
        <BindReview binding={binding} asksPassword={asksPassword} account={form.values.address.trim()}>
          <Rows>
            <Row label={t('bind.field.network')}>{form.values.network}</Row>
          </Rows>
        </BindReview>
      ) : null}
    </>
  );
}
