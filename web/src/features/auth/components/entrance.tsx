import type { ReactNode } from 'react';
import { cx } from '@/ui/cx';
import stack from '@/ui/stack.module.css';
import { Brand } from './brand';
import styles from './entrance.module.css';

type Props = { title: string; lead: string; children: ReactNode };

/** The frame of login and registration: a card on wide screens. */
export function Entrance({ title, lead, children }: Props) {
  return (
    <div className={cx(styles.page, styles.boxed)}>
      <div className={stack.gap2}>
        <Brand />
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.lead}>{lead}</p>
      </div>
      {children}
    </div>
  );
}
