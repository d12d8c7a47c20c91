import { expect, test } from 'vitest';
import { BUILT_IN_MAP, guessLanguage, type LanguageMap } from './guess';
import { LANGUAGES } from './languages';

const all = () => true;

test.each([
  [['en-GB', 'de'], 'en'],
  [['nl-NL', 'de-AT', 'en'], 'de'],
  [['zh-TW'], 'cht'],
  [['zh-Hant-HK'], 'cht'],
  [['zh-Hans-CN'], 'zh'],
  [['zh'], 'zh'],
  [['ja-JP'], 'jp'],
  [['ko'], 'kor'],
  [['es-419'], 'spa'],
  [['tlh'], null],
  [[], null],
])('a browser in %j gets %s', (wanted, code) => {
  expect(guessLanguage(wanted, BUILT_IN_MAP, all)).toBe(code);
});

test('the built-in map names every language', () => {
  expect(BUILT_IN_MAP.map(({ targets }) => targets).sort()).toEqual(LANGUAGES.map(({ code }) => code).sort());
});

test('the map of the platform is read with blanks and capitals, and without languages that cannot be shown', () => {
  const map: LanguageMap = [
    { source: ' nl-NL , nl ', targets: 'de' },
    { source: 'DA', targets: 'xx' },
  ];
  expect(guessLanguage(['nl-be'], map, all)).toBe('de');
  expect(guessLanguage(['da', 'nl'], map, (code) => code !== 'xx')).toBe('de');
});
