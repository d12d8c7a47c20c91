import { expect, test } from 'vitest';
import { notification } from '@/test/fixtures';
import { markPages, unreadAfter } from './rules';

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
