import type { ReactNode } from 'react';
import styles from './numbered-list.module.css';

/** Numbered steps; takes `<li>` children. */
export function NumberedList({ children }: { children: ReactNode }) {
  return <ol className={styles.list}>{children}</ol>;
}
