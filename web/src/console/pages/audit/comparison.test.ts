import { expect, test } from 'vitest';
import { compare } from './comparison';

test('what differs comes first, with its path', () => {
  const before = { name: 'a', limits: { max: 5, min: 1 }, gone: true };
  const after = { name: 'a', limits: { max: 9, min: 1 }, tags: ['x'] };
  expect(
    compare(before, after).map(({ name, kind, before: was, after: is }) => [name, kind, was, is]),
  ).toEqual([
    ['limits.max', 'changed', 5, 9],
    ['gone', 'removed', true, undefined],
    ['tags[0]', 'added', undefined, 'x'],
    ['name', 'unchanged', 'a', 'a'],
    ['limits.min', 'unchanged', 1, 1],
  ]);
});

test('an object on one side only is all new or all removed', () => {
  expect(compare(null, { id: 1 }).map(({ kind }) => kind)).toEqual(['added']);
  expect(compare({ id: 1 }, null).map(({ kind }) => kind)).toEqual(['removed']);
  expect(compare(null, null)).toEqual([]);
});
