/** The languages of the platform in the order of the picker, each with the name that its own speakers use. */
export const LANGUAGES = [
  { code: 'en', nativeName: 'English' },
  { code: 'zh', nativeName: '简体中文' },
  { code: 'cht', nativeName: '繁體中文' },
  { code: 'jp', nativeName: '日本語' },
  { code: 'kor', nativeName: '한국어' },
  { code: 'de', nativeName: 'Deutsch' },
  { code: 'fr', nativeName: 'Français' },
  { code: 'spa', nativeName: 'Español' },
  { code: 'pt', nativeName: 'Português' },
  { code: 'ru', nativeName: 'Русский' },
  { code: 'th', nativeName: 'ไทย' },
  { code: 'vi', nativeName: 'Tiếng Việt' },
] as const;

export type LanguageCode = (typeof LANGUAGES)[number]['code'];

// Intl knows neither `jp` nor `cht` and would format both as English; Thai would count Buddhist years.
const LOCALES: Partial<Record<LanguageCode, string>> = {
  zh: 'zh-Hans',
  cht: 'zh-Hant',
  jp: 'ja',
  kor: 'ko',
  spa: 'es',
  th: 'th-u-ca-gregory',
};

/** The locale that numbers and dates of a language are formatted in. */
export function localeOf(code: string): string {
  return LOCALES[code as LanguageCode] ?? code;
}

/** The value of `<html lang>`. */
export function htmlLangOf(code: string): string {
  return localeOf(code).replace(/-u-.*$/, '');
}

export function isLanguageCode(code: string | null | undefined): code is LanguageCode {
  return LANGUAGES.some((language) => language.code === code);
}
