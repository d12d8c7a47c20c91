import type { LanguageCode } from './languages';

/** Maps browser languages to the app's. `source` is a comma-separated list. */
export type LanguageMap = readonly { source: string; targets: string }[];

/** Used until the platform's map has loaded. */
export const BUILT_IN_MAP: readonly { source: string; targets: LanguageCode }[] = [
  { source: 'zh-tw,zh-hk,zh-mo,zh-hant', targets: 'cht' },
  { source: 'zh', targets: 'zh' },
  { source: 'ja', targets: 'jp' },
  { source: 'ko', targets: 'kor' },
  { source: 'es', targets: 'spa' },
  { source: 'de', targets: 'de' },
  { source: 'en', targets: 'en' },
  { source: 'fr', targets: 'fr' },
  { source: 'pt', targets: 'pt' },
  { source: 'ru', targets: 'ru' },
  { source: 'th', targets: 'th' },
  { source: 'vi', targets: 'vi' },
];

/**
 * The app's language for the first supported browser language. Looks up `zh-Hant-TW` as a whole, then `zh-hant`, then
 * `zh`. Null if none is supported.
 */
export function guessLanguage(
  wanted: readonly string[],
  map: LanguageMap,
  isAvailable: (code: string) => boolean,
): string | null {
  const targets = new Map(
    map.flatMap(({ source, targets: target }) =>
      source.split(',').map((code) => [code.trim().toLowerCase(), target.trim()]),
    ),
  );
  for (const tag of wanted) {
    for (const code of shorterTags(tag.toLowerCase())) {
      const target = targets.get(code);
      if (target !== undefined && isAvailable(target)) return target;
    }
  }
  return null;
}

/** A language tag and its shorter forms, longest first. */
function shorterTags(tag: string): string[] {
  const parts = tag.split('-');
  return parts.map((_, taken) => parts.slice(0, parts.length - taken).join('-'));
}
