import { expect, test } from 'vitest';
import { formatsFor } from './format';
import { htmlLangOf, LANGUAGES, localeOf } from './languages';
import en from './packs/en.json';

const packs = import.meta.glob<Record<string, unknown>>('./packs/*.json', { eager: true, import: 'default' });

const sources = import.meta.glob<string>('../**/*.{ts,tsx}', {
  eager: true,
  query: '?raw',
  import: 'default',
});

// Languages differ in their plural forms, so a counted text is compared by its name alone.
const PLURAL = /_(zero|one|two|few|many|other)$/;

function keysOf(pack: Record<string, unknown>, prefix = ''): string[] {
  return Object.entries(pack).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null
      ? keysOf(value as Record<string, unknown>, `${prefix}${key}.`)
      : [`${prefix}${key}`.replace(PLURAL, '')],
  );
}

function placeholdersOf(pack: Record<string, unknown>, prefix = ''): [string, string][] {
  return Object.entries(pack).flatMap(([key, value]): [string, string][] =>
    typeof value === 'object' && value !== null
      ? placeholdersOf(value as Record<string, unknown>, `${prefix}${key}.`)
      : [
          [
            `${prefix}${key}`.replace(PLURAL, ''),
            [...String(value).matchAll(/{{\w+}}/g)].map(String).sort().join(),
          ],
        ],
  );
}

test.each(Object.entries(packs))('%s has every text, no other, and the same placeholders', (path, pack) => {
  expect(LANGUAGES.map(({ code }) => `./packs/${code}.json`)).toContain(path);
  expect(new Set(keysOf(pack))).toEqual(new Set(keysOf(en)));
  expect(new Map(placeholdersOf(pack))).toEqual(new Map(placeholdersOf(en)));
});

test('every text is shown somewhere', () => {
  const code = Object.entries(sources)
    .filter(([path]) => !/\.test\.tsx?$|\.d\.ts$|\/parts\.ts$/.test(path))
    .map(([, source]) => source)
    .join('\n');
  const literal = new Set([...code.matchAll(/['"`]([a-z_]+(?:\.\w+)+)['"`]/g)].map(([, key]) => key));
  // A key with a dynamic part stands for every key that it matches.
  const patterns = [...code.matchAll(/`([a-z_]+\.[^`\s]*\$\{[^`\s]*)`/g)].map(
    ([, key = '']) => new RegExp(`^${key.replaceAll('.', '\\.').replace(/\$\{[^}]*\}/g, '[\\w.]+')}$`),
  );
  const unused = keysOf(en).filter((key) => !literal.has(key) && !patterns.some((known) => known.test(key)));
  expect(unused).toEqual([]);
});

test('no text is empty', () => {
  for (const pack of Object.values(packs)) expect(JSON.stringify(pack)).not.toMatch(/:\s*""/);
});

test('the codes that Intl does not know get their locale', () => {
  expect(localeOf('jp')).toBe('ja');
  expect(localeOf('cht')).toBe('zh-Hant');
  expect(localeOf('kor')).toBe('ko');
  expect(localeOf('spa')).toBe('es');
  expect(htmlLangOf('th')).toBe('th');
  expect(formatsFor('jp').month('2026-11')).toBe('2026年11月');
  expect(formatsFor('th').month('2026-11')).toContain('2026');
});

test('amounts keep two decimals and show results with their sign', () => {
  const { money, signedMoney, percent } = formatsFor('en');
  expect(money('1250')).toBe('1,250.00');
  expect(signedMoney('5.00')).toBe('+5.00');
  expect(signedMoney('0.00')).toBe('0.00');
  expect(signedMoney('-67.93')).toBe('−67.93');
  expect(percent('0.0069')).toBe('0.69%');
  expect(formatsFor('de').money('123456789.12')).toBe('123.456.789,12');
});
