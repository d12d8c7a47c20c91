import type { ReactNode } from 'react';
import styles from './numbered-list.module.css';

/** Steps in their order, of `<li>`. */
export function NumberedList({ children }: { children: ReactNode }) {
  return <ol className={styles.list}>{children}</ol>;
}
