import type { UnreadCount } from '@/lib/api/types';

/** The later of a known count and another one. Apart from the other rules: every page shows the count. */
export function laterCount(known: UnreadCount | undefined, count: UnreadCount): UnreadCount {
  return known && known.sequence > count.sequence ? known : count;
}
