import { cx } from '@/ui/cx';
import styles from './badge.module.css';

export type Tone = 'neutral' | 'good' | 'bad' | 'waiting' | 'info';

/** A state in a word. The colour says nothing that the word does not. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: string }) {
  return <span className={cx(styles.badge, styles[tone])}>{children}</span>;
}
