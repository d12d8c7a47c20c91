import type { ReactNode } from 'react';
import styles from './big-amount.module.css';

/** The main amount of a sheet, in large type below its label. */
export function BigAmount({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles.amount}>
      <p>{label}</p>
      <strong>{children}</strong>
    </div>
  );
}
