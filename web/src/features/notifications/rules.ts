import type { Notification } from '@/lib/api/types';

export const CATEGORIES = ['all', 'announcement', 'maintenance', 'activity'] as const;
export type Category = (typeof CATEGORIES)[number];

export const FILTERS = ['all', 'unread', 'read'] as const;
export type Filter = (typeof FILTERS)[number];

/** The target of a marking: one notification, or all of a category. */
export type Mark = { id: string } | { all: true; category: Category };

type Pages = { items: Notification[] }[];

export function isMarked(notification: Notification, mark: Mark): boolean {
  if ('id' in mark) return notification.id === mark.id;
  return mark.category === 'all' || notification.category === mark.category;
}

/** The pages with the marking applied, before the server confirms it. */
export function markPages<P extends Pages>(pages: P, mark: Mark): P {
  return pages.map((page) => ({
    ...page,
    items: page.items.map((item) => (isMarked(item, mark) ? { ...item, read: true } : item)),
  })) as P;
}

/** The ids that a marking changes from unread to read. */
export function unreadIds(pages: Pages, mark: Mark): string[] {
  return pages.flatMap(({ items }) =>
    items.filter((item) => !item.read && isMarked(item, mark)).map(({ id }) => id),
  );
}

/** The pages with a failed marking undone. */
export function unmarkPages<P extends Pages>(pages: P, ids: ReadonlySet<string>): P {
  return pages.map((page) => ({
    ...page,
    items: page.items.map((item) => (ids.has(item.id) ? { ...item, read: false } : item)),
  })) as P;
}

/** The unread total after a marking, never below zero. For a category only the server knows it. */
export function unreadAfter(total: number, mark: Mark): number {
  if ('id' in mark) return Math.max(0, total - 1);
  return mark.category === 'all' ? 0 : total;
}

/** Security first within each day, otherwise as given: newest first. Days are those of this device. */
export function securityFirst(items: readonly Notification[]): Notification[] {
  const dayOf = ({ time }: Notification) => new Date(time).setHours(0, 0, 0, 0);
  const rank = ({ kind }: Notification) => (kind === 'security' ? 0 : 1);
  return items.toSorted((a, b) => dayOf(b) - dayOf(a) || rank(a) - rank(b));
}

/**
 * Whether a notice is of those that are sent as push messages, too: deposits, withdrawals and security. A plan that
 * starts would be one as well, but its notices do not tell steps apart, and money comes before any plan.
 */
export function isUrgent({ kind, target }: Notification): boolean {
  if (kind === 'security') return true;
  return kind === 'money' && (target?.kind === 'entry' || target?.kind === 'withdrawal');
}
