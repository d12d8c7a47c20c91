import type { ReactNode } from 'react';
import styles from './notice.module.css';

/** Why something is not possible yet, and how to change that. */
export function Notice({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div className={styles.notice}>
      <p>{text}</p>
      {children}
    </div>
  );
}
