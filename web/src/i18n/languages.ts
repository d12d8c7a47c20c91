/** The platform's languages in the picker's order, with their native names. */
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

// Intl knows neither `jp` nor `cht` and would fall back to English; Thai would use Buddhist years.
const LOCALES: Partial<Record<LanguageCode, string>> = {
  zh: 'zh-Hans',
  cht: 'zh-Hant',
  jp: 'ja',
  kor: 'ko',
  spa: 'es',
  th: 'th-u-ca-gregory',
};

/** The locale for a language's numbers and dates. */
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
