import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import shared from '@/i18n/packs/en.json?part=first';
import texts from './texts/en';

/**
 * Initializes i18next in the console's language. Another language is another folder beside `texts/en` and its pack of
 * the app, whose `first` part has the words of the shared components.
 */
export function startConsoleTexts() {
  return i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: false,
    ns: ['translation', 'console'],
    resources: { en: { translation: shared, console: texts } },
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
    returnNull: false,
  });
}

/** Adds the texts of the shared charts, which only pages with a chart need. */
export async function loadChartTexts(): Promise<void> {
  const { default: main } = await import('@/i18n/packs/en.json?part=main');
  i18next.addResourceBundle('en', 'translation', main, true);
}
