import type { ReactNode } from 'react';
import styles from './big-amount.module.css';

/** The amount that a sheet is about, large, below its label. */
export function BigAmount({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles.amount}>
      <p>{label}</p>
      <strong>{children}</strong>
    </div>
  );
}
