import type { ReactNode } from 'react';
import styles from './step-actions.module.css';

/** The buttons at the end of a step. */
export function StepActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
