import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { sessionStore, setLang } from '@/lib/session/store';
import { htmlLangOf } from './languages';
import { fetchTexts, firstLanguage, isAvailable, type Texts } from './texts';

let restWanted = false;

/** Starts the translations; the screens are rendered after it, so no raw key is ever seen. */
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

/** Calls `act` when there are texts: at once, or when the first language is there. */
export function whenTranslated(act: () => void): void {
  if (i18next.isInitialized) act();
  else i18next.on('initialized', act);
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
  if (!i18next.hasResourceBundle(code, 'translation')) addTexts(code, await fetchTexts('first', code));
  if (restWanted) await addRest(code);
  // Somebody may have chosen while a guess was on its way.
  if (!chosen && sessionStore.get().langChosen) return false;
  await i18next.changeLanguage(code);
  document.documentElement.lang = htmlLangOf(code);
  setLang(code, chosen);
  return true;
}

/** Fetches the texts of all pages, in this language and from now on in every other that is switched to. */
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
