import 'i18next';
import type texts from './texts/en';

declare module 'i18next' {
  interface TextNamespaces {
    console: typeof texts;
  }
}
