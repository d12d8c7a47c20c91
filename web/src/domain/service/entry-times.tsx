import { Clock3 } from 'lucide-react';
import type { ServiceEntry } from '@/lib/api/types';
import styles from './entry-times.module.css';

/** When somebody answers and how soon, as far as staff say. */
export function EntryTimes({ entry }: { entry: Pick<ServiceEntry, 'hours' | 'answer_time'> }) {
  // A copy of the user from an older version lacks them.
  const times = [entry.hours, entry.answer_time].filter(Boolean);
  if (times.length === 0) return null;
  return (
    <span className={styles.times}>
      <Clock3 size={14} aria-hidden="true" />
      {times.join(' · ')}
    </span>
  );
}
