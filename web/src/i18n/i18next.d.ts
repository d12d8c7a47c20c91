import 'i18next';
import type en from './packs/en.json';

declare module 'i18next' {
  /** The texts of each namespace. The console adds its own. */
  interface TextNamespaces {
    translation: typeof en;
  }

  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: TextNamespaces;
    returnNull: false;
  }
}
