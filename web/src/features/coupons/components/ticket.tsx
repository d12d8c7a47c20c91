import type { ReactNode } from 'react';
import { cx } from '@/ui/cx';
import styles from './ticket.module.css';

type Props = { value: string; mode: string; name: string; isOver?: boolean; children: ReactNode };

/** A voucher: its value on the stub, its name and `children` beside it. */
export function Ticket({ value, mode, name, isOver = false, children }: Props) {
  return (
    <li className={cx(styles.ticket, isOver && styles.over)}>
      <div className={styles.stub}>
        <span className={styles.value}>{value}</span>
        <span className={styles.mode}>{mode}</span>
      </div>
      <div className={styles.info}>
        <p className={styles.name}>{name}</p>
        {children}
      </div>
    </li>
  );
}

type NoteProps = { isUrgent?: boolean; children: ReactNode };

export function TicketNote({ isUrgent = false, children }: NoteProps) {
  return <p className={cx(styles.meta, isUrgent && styles.soon)}>{children}</p>;
}

/** A row below the notes. */
export function TicketFoot({ children }: { children: ReactNode }) {
  return <div className={styles.foot}>{children}</div>;
}
