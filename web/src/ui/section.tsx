import type { ReactNode } from 'react';
import styles from './section.module.css';

/** A headed part of a page outside any card. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className={styles.heading}>{title}</h2>
      {children}
    </section>
  );
}
