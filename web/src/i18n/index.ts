import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { keptConfig } from '@/lib/data/basic-config';
import { DEFAULT_LANG, keptUser, sessionStore, setLang } from '@/lib/session/store';
import { BUILT_IN_MAP, guessLanguage, type LanguageMap } from './guess';
import { htmlLangOf, isLanguageCode, LANGUAGES, type LanguageCode } from './languages';

type Pack = { default: Record<string, unknown> };

/**
 * Two lazy chunks per language, each fetched once and only when it is asked for: what the first pages say, and the rest,
 * which the other pages wait for.
 */
const firstParts = import.meta.glob<Pack>('./packs/*.json', { query: '?part=first' });
const restParts = import.meta.glob<Pack>('./packs/*.json', { query: '?part=rest' });

const packOf = (code: string) => firstParts[`./packs/${code}.json`];

let restWanted = false;

/** The languages that have a pack, in the order of the picker. */
export const availableLanguages = LANGUAGES.filter(({ code }) => packOf(code) !== undefined);

/**
 * Starts the translations in the chosen language, else in the one that is most likely wanted; the screens are rendered
 * after it, so no raw key is ever seen. `whole`: the first page is one that says more than a visitor's.
 */
export async function startTranslations(whole = false): Promise<void> {
  const { lang: stored, langChosen } = sessionStore.get();
  const chosen = langChosen && isAvailable(stored);
  const lang = chosen ? stored : guessedLanguage(keptUser()?.lang, keptConfig()?.client_language_map);
  document.documentElement.lang = htmlLangOf(lang);
  setLang(lang, chosen);
  // The import keeps what it fetched: `completeTexts` gets it at once.
  if (whole) void fetchPart(restParts, lang).catch(() => undefined);
  const resources = { [lang]: { translation: await fetchPart(firstParts, lang) } };
  await i18next.use(initReactI18next).init({
    lng: lang,
    fallbackLng: false,
    resources,
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
    returnNull: false,
  });
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

/**
 * Switches the interface, as a choice that is kept unless said otherwise. A code without a pack changes nothing. Answers
 * whether the language is shown now.
 */
export async function changeLanguage(
  code: string | null | undefined,
  { chosen = true }: { chosen?: boolean } = {},
): Promise<boolean> {
  if (!isAvailable(code)) return false;
  if (!i18next.hasResourceBundle(code, 'translation')) addTexts(code, await fetchPart(firstParts, code));
  if (restWanted) await addRest(code);
  // Somebody may have chosen while a guess was on its way.
  if (!chosen && sessionStore.get().langChosen) return false;
  await i18next.changeLanguage(code);
  document.documentElement.lang = htmlLangOf(code);
  setLang(code, chosen);
  return true;
}

export function isAvailable(code: string | null | undefined): code is LanguageCode {
  return isLanguageCode(code) && packOf(code) !== undefined;
}

/** Fetches the texts of all pages, in this language and from now on in every other that is switched to. */
export async function completeTexts(): Promise<void> {
  restWanted = true;
  await addRest(sessionStore.get().lang);
}

const complete = new Set<string>();

async function addRest(code: string): Promise<void> {
  if (complete.has(code)) return;
  addTexts(code, await fetchPart(restParts, code));
  complete.add(code);
}

function addTexts(code: string, texts: Record<string, unknown>): void {
  i18next.addResourceBundle(code, 'translation', texts, true);
}

async function fetchPart(
  parts: Record<string, () => Promise<Pack>>,
  code: string,
): Promise<Record<string, unknown>> {
  const load = parts[`./packs/${code}.json`];
  if (!load) throw new Error(`no language pack: ${code}`);
  return (await load()).default;
}
