import { type ReactNode, useId } from 'react';
import { Card } from '@/ui/card';
import styles from './notice-frame.module.css';

type Props = {
  title: string;
  /** Part of a card instead of a card. */
  inset?: boolean | undefined;
  children: ReactNode;
};

export function NoticeFrame({ title, inset, children }: Props) {
  const id = useId();
  if (!inset) return <Card title={title}>{children}</Card>;
  return (
    <section className={styles.inset} aria-labelledby={id}>
      <h3 className={styles.title} id={id}>
        {title}
      </h3>
      {children}
    </section>
  );
}
