import { type ReactNode, useId } from 'react';
import styles from './card.module.css';
import { cx } from './cx';

type CardProps = { title?: string; action?: ReactNode; children: ReactNode; className?: string | undefined };

export function Card({ title, action, children, className }: CardProps) {
  const id = useId();
  if (!title) return <div className={cx(styles.card, className)}>{children}</div>;
  return (
    <section className={cx(styles.card, className)} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 className={styles.title} id={id}>
          {title}
        </h2>
        {action}
      </div>
      {children}
    </section>
  );
}

export function Rows({ children }: { children: ReactNode }) {
  return <dl className={styles.rows}>{children}</dl>;
}

type RowProps = {
  label: ReactNode;
  children: ReactNode;
  /** Puts longer text below its label. */
  text?: boolean;
};

export function Row({ label, children, text = false }: RowProps) {
  return (
    <div className={cx(styles.row, text && styles.text)}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function Stack({ children }: { children: ReactNode }) {
  return <div className={styles.stack}>{children}</div>;
}

export type Tone = 'neutral' | 'positive' | 'negative' | 'warning' | 'info' | 'brand';

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={cx(styles.badge, tone !== 'neutral' && styles[tone])}>{children}</span>;
}

export function Progress({ percent, label }: { percent: number; label: string }) {
  return (
    <div
      className={styles.progress}
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <div className={styles.bar} style={{ inlineSize: `${percent}%` }} />
    </div>
  );
}
