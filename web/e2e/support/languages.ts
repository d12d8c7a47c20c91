import { readFileSync } from 'node:fs';
import { LANGUAGES, type LanguageCode } from '../../src/i18n/languages';

export type Lang = LanguageCode;

export const LANGS: readonly Lang[] = LANGUAGES.map(({ code }) => code);

/** The expected `<html lang>`. Repeated here, because the app's own table is under test. */
export const HTML_LANG: Record<Lang, string> = {
  en: 'en',
  zh: 'zh-Hans',
  cht: 'zh-Hant',
  jp: 'ja',
  kor: 'ko',
  de: 'de',
  fr: 'fr',
  spa: 'es',
  pt: 'pt',
  ru: 'ru',
  th: 'th',
  vi: 'vi',
};

/** Languages in other scripts than Latin. A run of English words stands out in them. */
export const OTHER_SCRIPTS: readonly Lang[] = ['zh', 'cht', 'jp', 'kor', 'ru', 'th'];

const packs = new Map<Lang, Map<string, string>>();

/** The texts of a language's pack by key. */
export function textsOf(lang: Lang): Map<string, string> {
  const known = packs.get(lang);
  if (known) return known;
  const file = new URL(`../../src/i18n/packs/${lang}.json`, import.meta.url);
  const texts = flattened(JSON.parse(readFileSync(file, 'utf8')));
  packs.set(lang, texts);
  return texts;
}

/** The server's message for a refusal in a language. */
export function messageOf(lang: Lang, reason: string): string {
  const file = new URL(`../../../gateway/src/messages/${lang}.json`, import.meta.url);
  const messages: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'));
  const message = messages[`reason.${reason}`];
  if (message === undefined) throw new Error(`${lang}: the server says nothing about ${reason}`);
  return message;
}

function flattened(pack: Record<string, unknown>, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(pack).flatMap(([name, value]): [string, string][] =>
      typeof value === 'object' && value !== null
        ? [...flattened(value as Record<string, unknown>, `${prefix}${name}.`)]
        : [[`${prefix}${name}`, String(value)]],
    ),
  );
}

/** A text of a language. A missing one yields its key, as in the app, so that locators still match. */
export function textOf(lang: Lang, key: string, params: Record<string, string> = {}): string {
  const text = textsOf(lang).get(key) ?? key;
  return text.replace(/{{(\w+)}}/g, (_, name: string) => params[name] ?? '');
}
