import { expect, test } from 'vitest';
import { bodyOf, EMPTY, filledOf, languagesThat, shownLanguage } from './draft';

const DRAFT = {
  ...EMPTY,
  title: { en: 'Maintenance', cht: '維護', de: 'Wartung', fr: ' ' },
  content: { en: 'At two.', cht: '兩點。', fr: '' },
};

test('a language is written, half written or not at all', () => {
  expect(filledOf(DRAFT, 'en')).toBe('full');
  expect(languagesThat(DRAFT, 'half')).toEqual(['de']);
  expect(filledOf(DRAFT, 'fr')).toBe('none');
});

test('Chinese stands in for Chinese, and English for the rest', () => {
  expect(shownLanguage(DRAFT, 'zh')).toBe('cht');
  expect(shownLanguage(DRAFT, 'cht')).toBe('cht');
  expect(shownLanguage(DRAFT, 'fr')).toBe('en');
});

test('blank texts are not sent, and chosen users go by their ids', () => {
  expect(bodyOf({ ...DRAFT, to: 'chosen', users: [{ id: 'u-1', name: 'ada' }] })).toEqual({
    category: 'announcement',
    to: ['u-1'],
    title: { en: 'Maintenance', cht: '維護', de: 'Wartung' },
    content: { en: 'At two.', cht: '兩點。' },
  });
  expect(bodyOf(DRAFT).to).toBe('all');
});
