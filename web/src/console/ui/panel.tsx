import { type ReactNode, useId } from 'react';
import styles from './panel.module.css';

type Props = { title: string; actions?: ReactNode; children: ReactNode };

/** A part of a page with a heading. */
export function Panel({ title, actions, children }: Props) {
  const id = useId();
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 className={styles.title} id={id}>
          {title}
        </h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
