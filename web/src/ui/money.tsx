import { useFormats } from '@/i18n/format';
import { signOf } from '@/lib/money';
import { cx } from './cx';
import styles from './money.module.css';

type Props = {
  value: string;
  /** Shows the sign. Only a negative result stands out; money that goes out is not alarming. */
  signed?: 'result' | 'movement';
  currency?: string | undefined;
};

/** A localized amount that never wraps. */
export function Money({ value, signed, currency }: Props) {
  const { money, signedMoney } = useFormats();
  const sign = signOf(value);
  return (
    <>
      <span
        className={cx(
          'figure',
          signed && sign > 0 && styles.up,
          signed === 'result' && sign < 0 && styles.down,
        )}
      >
        {signed ? signedMoney(value) : money(value)}
      </span>
      {currency ? <span className={styles.currency}> {currency}</span> : null}
    </>
  );
}
