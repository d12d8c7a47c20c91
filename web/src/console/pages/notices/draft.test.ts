import { expect, test } from 'vitest';
import { bodyOf, EMPTY, filledOf, languagesThat, problemOfTime, shownLanguage } from './draft';

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

test('a time is sent as an instant, and must be ahead by at most a year', () => {
  const later = { ...DRAFT, when: 'later' as const, at: '2026-05-02T10:00' };
  expect(bodyOf(later).publish_at).toBe('2026-05-02T10:00:00.000Z');
  expect(problemOfTime(DRAFT, 0)).toBeNull();
  expect(problemOfTime(later, Date.parse('2026-05-01T10:00'))).toBeNull();
  expect(problemOfTime(later, Date.parse('2026-05-02T10:00'))).toBe('past');
  expect(problemOfTime(later, Date.parse('2025-05-01T10:00'))).toBe('far');
  expect(problemOfTime({ ...later, at: '' }, 0)).toBe('no_time');
});
