import { LANGUAGES, type LanguageCode } from '@/i18n/languages';
import { writtenOf } from './request';
import type { Entry, SectionSpec, Texts } from './sections';

export type Coverage = 'full' | 'half' | 'none';

/** How much of a section a language has. A text that is missing as a whole is missing in no language. */
export function coverageOf(spec: SectionSpec, entries: readonly Entry[], code: LanguageCode): Coverage {
  const wanted = entries
    .flatMap(({ texts }) => spec.texts.map(({ name }) => writtenOf(texts[name])))
    .filter((texts) => Object.keys(texts).length > 0);
  const present = wanted.filter((texts) => texts[code] !== undefined).length;
  if (present === 0) return wanted.length === 0 ? 'full' : 'none';
  return present === wanted.length ? 'full' : 'half';
}

/** The languages that lack something of a section. */
export function lackingLanguages(spec: SectionSpec, entries: readonly Entry[]): LanguageCode[] {
  return LANGUAGES.map(({ code }) => code).filter((code) => coverageOf(spec, entries, code) !== 'full');
}

export function languageName(code: string): string {
  return LANGUAGES.find((language) => language.code === code)?.nativeName ?? code;
}

/** What an entry is called: its first text in English, or in any language. */
export function entryTitle(spec: SectionSpec, entry: Entry): string {
  const [first] = spec.texts;
  const texts: Texts = first ? writtenOf(entry.texts[first.name]) : {};
  return texts.en ?? Object.values(texts)[0] ?? '';
}
