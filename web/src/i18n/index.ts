import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { sessionStore, setLang } from '@/lib/session/store';
import { htmlLangOf } from './languages';
import type { Part } from './parts';
import { fetchTexts, firstLanguage, isAvailable } from './texts';

/** The parts that the pages of this visit need, in any language. */
const wanted = new Set<Part>(['first']);

/** The parts that i18next has, by language. */
const added = new Set<string>();

/** Initializes i18next. Rendering waits for it, so that no raw key is ever visible. */
export async function startTranslations(): Promise<void> {
  const { lang, chosen } = firstLanguage();
  document.documentElement.lang = htmlLangOf(lang);
  setLang(lang, chosen);
  const resources = { [lang]: { translation: await fetchTexts('first', lang) } };
  await i18next.use(initReactI18next).init({
    lng: lang,
    fallbackLng: false,
    resources,
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
    returnNull: false,
  });
  // A new start forgets other texts.
  added.clear();
  added.add(`${lang} first`);
}

/** Calls `act` once i18next is initialized. */
export function whenTranslated(act: () => void): void {
  if (i18next.isInitialized) act();
  else i18next.on('initialized', act);
}

/**
 * Switches the interface language and by default stores it as the user's choice. Ignores codes without a pack. Returns
 * whether the language is now active.
 */
export async function changeLanguage(
  code: string | null | undefined,
  { chosen = true }: { chosen?: boolean } = {},
): Promise<boolean> {
  if (!isAvailable(code)) return false;
  await addWanted(code);
  // The user may have chosen while a guess was loading.
  if (!chosen && sessionStore.get().langChosen) return false;
  await i18next.changeLanguage(code);
  document.documentElement.lang = htmlLangOf(code);
  setLang(code, chosen);
  return true;
}

/** Loads parts of the texts in this language, and from now on in every language that is switched to. */
export async function loadTexts(parts: readonly Part[]): Promise<void> {
  for (const part of parts) wanted.add(part);
  let lang: string;
  do {
    lang = sessionStore.get().lang;
    await addWanted(lang);
    // The language may have been switched in the meantime.
  } while (lang !== sessionStore.get().lang);
}

/** Repeats itself, because another page may want more in the meantime. */
async function addWanted(code: string): Promise<void> {
  const missing = [...wanted].filter((part) => !added.has(`${code} ${part}`));
  if (missing.length === 0) return;
  await Promise.all(missing.map((part) => addPart(code, part)));
  await addWanted(code);
}

async function addPart(code: string, part: Part): Promise<void> {
  const texts = await fetchTexts(part, code);
  await new Promise<void>(whenTranslated);
  i18next.addResourceBundle(code, 'translation', texts, true);
  added.add(`${code} ${part}`);
}
