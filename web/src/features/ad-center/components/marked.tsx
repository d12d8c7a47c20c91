import type { Statistics } from '@/lib/api/types';
import { isMarked, type Share } from '../rules';
import styles from './marked.module.css';

type Props = { statistics: Statistics; figure: Share['key'] | 'profit' };

/** The mark of a figure that contains estimated or simulated shares. The hero says which. */
export function Marked({ statistics, figure }: Props) {
  return isMarked(statistics, figure) ? (
    <sup className={styles.mark} aria-hidden="true">
      *
    </sup>
  ) : null;
}
