import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { DEFAULT_LANG, sessionStore, storeLang } from '@/lib/session/store';
import { htmlLangOf, isLanguageCode, LANGUAGES, type LanguageCode } from './languages';

type Pack = { default: Record<string, unknown> };

/** One lazy chunk per language: a pack is fetched once and only when it is asked for. */
const packs = import.meta.glob<Pack>('./packs/*.json');

const packOf = (code: string) => packs[`./packs/${code}.json`];

/** The languages that have a pack, in the order of the picker. */
export const availableLanguages = LANGUAGES.filter(({ code }) => packOf(code) !== undefined);

/** Starts the translations in the stored language; the screens are rendered after it, so no raw key is ever seen. */
export async function startTranslations(): Promise<void> {
  const stored = sessionStore.get().lang;
  const lang = isAvailable(stored) ? stored : DEFAULT_LANG;
  document.documentElement.lang = htmlLangOf(lang);
  storeLang(lang);
  const resources = { [lang]: { translation: await fetchPack(lang) } };
  await i18next.use(initReactI18next).init({
    lng: lang,
    fallbackLng: false,
    resources,
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
    returnNull: false,
  });
}

/** Switches the interface; a code without a pack changes nothing. Answers whether the language is shown now. */
export async function changeLanguage(code: string | null | undefined): Promise<boolean> {
  if (!isAvailable(code)) return false;
  if (!i18next.hasResourceBundle(code, 'translation')) {
    i18next.addResourceBundle(code, 'translation', await fetchPack(code));
  }
  await i18next.changeLanguage(code);
  document.documentElement.lang = htmlLangOf(code);
  storeLang(code);
  return true;
}

export function isAvailable(code: string | null | undefined): code is LanguageCode {
  return isLanguageCode(code) && packOf(code) !== undefined;
}

async function fetchPack(code: string): Promise<Record<string, unknown>> {
  const load = packOf(code);
  if (!load) throw new Error(`no language pack: ${code}`);
  return (await load()).default;
}
