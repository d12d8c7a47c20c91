import { expect, test } from 'vitest';
import en from './en';

const sources = import.meta.glob<string>(['../**/*.{ts,tsx}', '!../**/*.test.{ts,tsx}'], {
  eager: true,
  query: '?raw',
  import: 'default',
});

type Texts = { readonly [name: string]: string | Texts };

/** The keys of all texts. A plural counts once, without the ending of its form. */
function keysOf(texts: Texts, prefix = ''): string[] {
  return Object.entries(texts).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [`${prefix}${name.replace(/_(one|other)$/, '')}`]
      : keysOf(value, `${prefix}${name}.`),
  );
}

function valuesOf(texts: Texts): string[] {
  return Object.values(texts).flatMap((value) => (typeof value === 'string' ? [value] : valuesOf(value)));
}

/** What the sources name: whole keys, and the beginnings of those that end in something computed. */
const named = Object.values(sources).flatMap((source) =>
  [...source.matchAll(/['"`](?:console:)?([a-z_]+\.[\w.]*)/g)].map(([, key = '']) => key),
);

test('every text is shown somewhere', () => {
  const whole = new Set(named);
  const beginnings = named.filter((name) => name.endsWith('.') || name.endsWith('_'));
  const isShown = (key: string) =>
    whole.has(key) || beginnings.some((beginning) => key.startsWith(beginning));
  expect(keysOf(en).filter((key) => !isShown(key))).toEqual([]);
});

test('texts are whole: no blank at an end, no double blank, no unfinished mark', () => {
  const wrong = valuesOf(en).filter(
    (text) => text === '' || text.trim() !== text || /\s{2}|TODO|lorem/i.test(text),
  );
  expect(wrong).toEqual([]);
});
