import { keptConfig } from '@/lib/kept-config';
import { DEFAULT_LANG, keptUser, sessionStore } from '@/lib/session/store';
import { BUILT_IN_MAP, guessLanguage, type LanguageMap } from './guess';
import { isLanguageCode, LANGUAGES, type LanguageCode } from './languages';

export type Texts = Record<string, unknown>;
type Pack = { default: Texts };

/**
 * Two lazy chunks per language, each fetched once and only when it is asked for: what the first pages say, and the rest,
 * which the other pages wait for.
 */
const parts = {
  first: import.meta.glob<Pack>('./packs/*.json', { query: '?part=first' }),
  rest: import.meta.glob<Pack>('./packs/*.json', { query: '?part=rest' }),
};

const packOf = (code: string) => parts.first[`./packs/${code}.json`];

/** The languages that have a pack, in the order of the picker. */
export const availableLanguages = LANGUAGES.filter(({ code }) => packOf(code) !== undefined);

export function isAvailable(code: string | null | undefined): code is LanguageCode {
  return isLanguageCode(code) && packOf(code) !== undefined;
}

/** One part of a pack. The import keeps what it fetched: whoever asks again gets it at once. */
export async function fetchTexts(part: keyof typeof parts, code: string): Promise<Texts> {
  const load = parts[part][`./packs/${code}.json`];
  if (!load) throw new Error(`no language pack: ${code}`);
  return (await load()).default;
}

/** The language that a visit begins in: the chosen one, else the one that is most likely wanted. */
export function firstLanguage(): { lang: string; chosen: boolean } {
  const { lang, langChosen } = sessionStore.get();
  if (langChosen && isAvailable(lang)) return { lang, chosen: true };
  return { lang: guessedLanguage(keptUser()?.lang, keptConfig()?.client_language_map), chosen: false };
}

/** The language for somebody who has chosen none: his account's, else the one of ours that his browser prefers. */
export function guessedLanguage(
  ofAccount: string | null | undefined,
  map: LanguageMap = BUILT_IN_MAP,
): string {
  if (isAvailable(ofAccount)) return ofAccount;
  const guess = (by: LanguageMap) => guessLanguage(navigator.languages, by, isAvailable);
  return guess(map) ?? guess(BUILT_IN_MAP) ?? DEFAULT_LANG;
}
