import { expect, test } from 'vitest';
import { differencesOf, excerpts } from './differences';
import { requestOf } from './request';
import { type Entry, SECTIONS, type SectionSpec } from './sections';

const FAQ = SECTIONS.find(({ name }) => name === 'faq') as SectionSpec;

const entry = (key: string, title: Record<string, string>): Entry => ({
  key,
  id: key.startsWith('new') ? null : key,
  texts: { title, content: { en: `Answer to ${key}` } },
  plain: {},
});

const ONE = entry('one', { en: 'How do I pay?' });
const TWO = entry('two', { en: 'How do I withdraw?', de: 'Wie hebe ich ab?' });

test('nothing differs from itself, and blanks at the ends are no difference', () => {
  expect(differencesOf(FAQ, [ONE, TWO], [ONE, TWO])).toEqual([]);
  expect(differencesOf(FAQ, [ONE], [entry('one', { en: ' How do I pay? ', fr: ' ' })])).toEqual([]);
});

test('texts differ by language, with what they were and will be', () => {
  const after = entry('two', { en: 'How do I withdraw money?' });
  expect(
    differencesOf(FAQ, [TWO], [after]).map((difference) =>
      difference.kind === 'text' ? [difference.code, difference.before, difference.after] : difference.kind,
    ),
  ).toEqual([
    ['en', 'How do I withdraw?', 'How do I withdraw money?'],
    ['de', 'Wie hebe ich ab?', null],
  ]);
});

test('entries are added, removed and put in another order', () => {
  const kinds = (before: Entry[], after: Entry[]) =>
    differencesOf(FAQ, before, after).map(({ kind }) => kind);
  expect(kinds([ONE, TWO], [TWO, ONE])).toEqual(['order']);
  expect(kinds([ONE, TWO], [TWO])).toEqual(['removed']);
  expect(kinds([ONE], [ONE, entry('new-1', { en: 'New?' })])).toEqual(['added']);
});

test('an excerpt begins shortly before the change', () => {
  const lead = 'x'.repeat(300);
  const [before, after] = excerpts(`${lead}old`, `${lead}new`);
  expect(before).toContain('old');
  expect(after).toContain('new');
  expect(before.length).toBeLessThan(100);
});

test('only the edited section is sent, without empty texts, and new entries without an id', () => {
  expect(requestOf('faq', [ONE, entry('new-1', { en: 'New? ', de: ' ' })])).toEqual({
    faq: [
      { id: 'one', title: { en: 'How do I pay?' }, content: { en: 'Answer to one' } },
      { title: { en: 'New?' }, content: { en: 'Answer to new-1' } },
    ],
  });
});
