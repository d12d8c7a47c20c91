import { cx } from '@/ui/cx';
import styles from './coupon-line.module.css';

type Props = { name: string; note: string; isUnmet?: boolean; value: string | null };

/** A coupon in one row: its name, a note below, and its value where it fits beside them. */
export function CouponLine({ name, note, isUnmet = false, value }: Props) {
  return (
    <span className={styles.line}>
      <span>
        <span className={styles.name}>{name}</span>
        <span className={cx(styles.note, isUnmet && styles.unmet)}>{note}</span>
      </span>
      {value === null ? null : <span className={cx('figure', styles.value)}>{value}</span>}
    </span>
  );
}
