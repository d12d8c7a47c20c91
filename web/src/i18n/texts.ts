import { keptConfig } from '@/lib/kept-config';
import { DEFAULT_LANG, keptUser, sessionStore } from '@/lib/session/store';
import { BUILT_IN_MAP, guessLanguage, type LanguageMap } from './guess';
import { isLanguageCode, LANGUAGES, type LanguageCode } from './languages';
import type { Part } from './parts';

export type Texts = Record<string, unknown>;
type Pack = { default: Texts };

export type Packs = Record<string, () => Promise<Pack>>;

/** The parts that come with the modules that show them, so that nobody else loads even their list of files. */
type LaterPart = 'desk' | 'placing';

/** A lazy chunk per language and part. */
const packs: Record<Exclude<Part, LaterPart>, Packs> & Partial<Record<LaterPart, Packs>> = {
  first: import.meta.glob<Pack>('./packs/*.json', { query: '?part=first' }),
  main: import.meta.glob<Pack>('./packs/*.json', { query: '?part=main' }),
  rest: import.meta.glob<Pack>('./packs/*.json', { query: '?part=rest' }),
};

export function offerTexts(part: LaterPart, later: Packs): void {
  packs[part] = later;
}

const packOf = (code: string) => packs.first[`./packs/${code}.json`];

/** The languages with a pack, in the picker's order. */
export const availableLanguages = LANGUAGES.filter(({ code }) => packOf(code) !== undefined);

export function isAvailable(code: string | null | undefined): code is LanguageCode {
  return isLanguageCode(code) && packOf(code) !== undefined;
}

/** Loads a part of a pack. The module cache makes repeated calls free. */
export async function fetchTexts(part: Part, code: string): Promise<Texts> {
  const load = packs[part]?.[`./packs/${code}.json`];
  if (!load) throw new Error(`no language pack: ${code}`);
  return (await load()).default;
}

/** The initial language of a visit: the chosen one, else the likeliest. */
export function firstLanguage(): { lang: string; chosen: boolean } {
  const { lang, langChosen } = sessionStore.get();
  if (langChosen && isAvailable(lang)) return { lang, chosen: true };
  return { lang: guessedLanguage(keptUser()?.lang, keptConfig()?.client_language_map), chosen: false };
}

/** The language for a user without a choice: the account's, else the browser's preference. */
export function guessedLanguage(
  ofAccount: string | null | undefined,
  map: LanguageMap = BUILT_IN_MAP,
): string {
  if (isAvailable(ofAccount)) return ofAccount;
  const guess = (by: LanguageMap) => guessLanguage(navigator.languages, by, isAvailable);
  return guess(map) ?? guess(BUILT_IN_MAP) ?? DEFAULT_LANG;
}
