import { expect, test } from 'vitest';
import type { Notification } from '@/lib/api/types';
import { notification } from '@/test/fixtures';
import { laterCount } from './count';
import { isUrgent, markPages, securityFirst, unreadAfter } from './rules';

const pages = [
  { items: [notification({ id: 'a' }), notification({ id: 'b', category: 'maintenance' })] },
  { items: [notification({ id: 'c' })] },
];
const read = (marked: typeof pages) =>
  marked.flatMap(({ items }) => items.filter((item) => item.read).map(({ id }) => id));

test('one, a category or all are marked', () => {
  expect(read(markPages(pages, { id: 'c' }))).toEqual(['c']);
  expect(read(markPages(pages, { all: true, category: 'maintenance' }))).toEqual(['b']);
  expect(read(markPages(pages, { all: true, category: 'all' }))).toEqual(['a', 'b', 'c']);
  expect(read(pages)).toEqual([]);
});

test('the unread total never falls below zero', () => {
  expect(unreadAfter(0, { id: 'a' })).toBe(0);
  expect(unreadAfter(3, { id: 'a' })).toBe(2);
  expect(unreadAfter(3, { all: true, category: 'all' })).toBe(0);
  expect(unreadAfter(3, { all: true, category: 'activity' })).toBe(3);
});

test('the count with the larger sequence is later; of two with the same, the one that came last', () => {
  const count = (unread_total: number, sequence: number) => ({ unread_total, sequence });
  expect(laterCount(undefined, count(2, 1))).toEqual(count(2, 1));
  expect(laterCount(count(2, 5), count(3, 4))).toEqual(count(2, 5));
  expect(laterCount(count(2, 5), count(3, 5))).toEqual(count(3, 5));
});

test('security comes first within its day only', () => {
  const on = (id: string, day: number, hour: number, kind: 'money' | 'security' = 'money') =>
    notification({ id, kind, time: new Date(2026, 10, day, hour).toISOString() });
  const sorted = securityFirst([
    on('a', 20, 18),
    on('b', 20, 9, 'security'),
    on('c', 20, 8),
    on('d', 19, 23, 'security'),
  ]);
  expect(sorted.map(({ id }) => id)).toEqual(['b', 'a', 'c', 'd']);
});

test('deposits, withdrawals and security are urgent, other news can wait', () => {
  const urgent = (kind: Notification['kind'], target: Notification['target'] = null) =>
    isUrgent(notification({ kind, target }));
  expect(urgent('money', { kind: 'entry', id: 'e' })).toBe(true);
  expect(urgent('money', { kind: 'withdrawal', id: 'w' })).toBe(true);
  expect(urgent('security')).toBe(true);
  expect(urgent('money', { kind: 'exchange', id: 'x' })).toBe(false);
  expect(urgent('plan', { kind: 'plan', id: 'p' })).toBe(false);
  expect(urgent('offer')).toBe(false);
});
