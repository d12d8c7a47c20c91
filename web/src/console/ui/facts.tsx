import type { ReactNode } from 'react';
import styles from './facts.module.css';

export type Fact = {
  label: string;
  value: ReactNode;
  /** What the figure means. */
  note?: string | undefined;
};

/** Names and values. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ label, value, note }) => (
        <div key={label}>
          <dt className={styles.label}>{label}</dt>
          <dd className={styles.value}>{value}</dd>
          {note ? <dd className={styles.note}>{note}</dd> : null}
        </div>
      ))}
    </dl>
  );
}
