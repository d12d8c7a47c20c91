import { expect, test } from 'vitest';
import { blocksOf } from './plain-text';

test('lines become paragraphs and numbered lines one list', () => {
  expect(blocksOf('Before\n\n1. One\n2. Two\nAfter')).toEqual([
    { kind: 'paragraph', text: 'Before' },
    { kind: 'list', items: ['One', 'Two'] },
    { kind: 'paragraph', text: 'After' },
  ]);
});

test('markup stays text, and a year does not begin a list', () => {
  expect(blocksOf('<b>bold</b>\n2026. A year')).toEqual([
    { kind: 'paragraph', text: '<b>bold</b>' },
    { kind: 'paragraph', text: '2026. A year' },
  ]);
  expect(blocksOf(' \n')).toEqual([]);
});
