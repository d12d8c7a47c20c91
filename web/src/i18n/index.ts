import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { sessionStore, setLang } from '@/lib/session/store';
import { htmlLangOf } from './languages';
import { fetchTexts, firstLanguage, isAvailable, type Texts } from './texts';

let restWanted = false;

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
  if (!i18next.hasResourceBundle(code, 'translation')) addTexts(code, await fetchTexts('first', code));
  if (restWanted) await addRest(code);
  // The user may have chosen while a guess was loading.
  if (!chosen && sessionStore.get().langChosen) return false;
  await i18next.changeLanguage(code);
  document.documentElement.lang = htmlLangOf(code);
  setLang(code, chosen);
  return true;
}

/** Loads the texts of all pages in this language, and from now on in every language that is switched to. */
export async function completeTexts(): Promise<void> {
  restWanted = true;
  await addRest(sessionStore.get().lang);
}

const complete = new Set<string>();

async function addRest(code: string): Promise<void> {
  if (complete.has(code)) return;
  const texts = await fetchTexts('rest', code);
  await new Promise<void>(whenTranslated);
  addTexts(code, texts);
  complete.add(code);
}

function addTexts(code: string, texts: Texts): void {
  i18next.addResourceBundle(code, 'translation', texts, true);
}
