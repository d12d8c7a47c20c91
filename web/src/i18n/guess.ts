import type { LanguageCode } from './languages';

/** Which languages of browsers stand for one of ours, as the platform says it: `source` is a list with commas. */
export type LanguageMap = readonly { source: string; targets: string }[];

/** Holds until the platform's own map is known. */
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
 * Our language for the first of the browser's that there is one for: `zh-Hant-TW` is looked for as it stands, then as
 * `zh-hant`, then as `zh`. Null when there is none for any.
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

/** A tag and what is left of it as its parts are taken away from the end. */
function shorterTags(tag: string): string[] {
  const parts = tag.split('-');
  return parts.map((_, taken) => parts.slice(0, parts.length - taken).join('-'));
}
