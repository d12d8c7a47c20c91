import { expect, test } from 'vitest';
import { merge } from './merge';
import { type Entry, SECTIONS, type SectionSpec } from './sections';

const FAQ = SECTIONS.find(({ name }) => name === 'faq') as SectionSpec;

const entry = (key: string, title: Record<string, string>): Entry => ({
  key,
  id: key.startsWith('new') ? null : key,
  texts: { title, content: { en: `Answer to ${key}` } },
  plain: {},
});

const ONE = entry('one', { en: 'How do I pay?', de: 'Wie zahle ich?' });
const TWO = entry('two', { en: 'How do I withdraw?' });
const NONE: ReadonlySet<string> = new Set();

test('what only one has changed goes together', () => {
  const mine = [
    entry('one', { en: 'How can I pay?', de: 'Wie zahle ich?' }),
    TWO,
    entry('new-1', { en: 'New?' }),
  ];
  const theirs = [
    entry('three', { en: 'Theirs?' }),
    entry('one', { en: 'How do I pay?', de: 'Wie zahlt man?' }),
    TWO,
  ];
  const merged = merge(FAQ, [ONE, TWO], mine, theirs);
  expect(merged.conflicts).toEqual([]);
  expect(merged.taken.map(({ kind }) => kind)).toEqual(['added', 'text']);
  expect(merged.entries(NONE).map(({ key, texts }) => [key, texts.title])).toEqual([
    ['three', { en: 'Theirs?' }],
    ['one', { en: 'How can I pay?', de: 'Wie zahlt man?' }],
    ['two', { en: 'How do I withdraw?' }],
    ['new-1', { en: 'New?' }],
  ]);
});

test('of a text that both have changed, one is chosen', () => {
  const mine = [entry('one', { en: 'Mine?', de: 'Wie zahle ich?' })];
  const theirs = [entry('one', { en: 'Theirs?', de: 'Wie zahle ich?' })];
  const merged = merge(FAQ, [ONE], mine, theirs);
  expect(merged.conflicts.map(({ id }) => id)).toEqual(['one title en']);
  expect(merged.taken).toEqual([]);
  expect(merged.entries(NONE)[0]?.texts.title?.en).toBe('Mine?');
  expect(merged.entries(new Set(['one title en']))[0]?.texts.title?.en).toBe('Theirs?');
  expect(merge(FAQ, [ONE], mine, mine).conflicts).toEqual([]);
});

test('an entry that one has removed and the other changed stays if that is chosen', () => {
  const changed = entry('one', { en: 'Mine?' });
  const removed = merge(FAQ, [ONE, TWO], [changed, TWO], [TWO]);
  expect(removed.entries(NONE).map(({ key }) => key)).toEqual(['one', 'two']);
  expect(removed.entries(new Set(['one'])).map(({ key }) => key)).toEqual(['two']);
  const kept = merge(FAQ, [ONE, TWO], [TWO], [changed, TWO]);
  expect(kept.entries(NONE).map(({ key }) => key)).toEqual(['two']);
  expect(kept.entries(new Set(['one']))[0]?.texts.title?.en).toBe('Mine?');
});

test('another order survives an entry of somebody else', () => {
  const merged = merge(FAQ, [ONE, TWO], [TWO, ONE], [ONE, TWO, entry('three', { en: 'Theirs?' })]);
  expect(merged.entries(NONE).map(({ key }) => key)).toEqual(['two', 'one', 'three']);
});
