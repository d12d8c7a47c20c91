// The order matters: most browsers also name their ancestors.
const BROWSERS = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\b(OPR|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const;

const SYSTEMS = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(iPhone|iPad|iPod)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const;

const LONGEST = 40;

/**
 * The browser and system that a `User-Agent` claims, else its beginning. It is a claim, not a proof. Empty without one.
 */
export function deviceNames(userAgent: string | null): string[] {
  if (!userAgent) return [];
  const names = [BROWSERS, SYSTEMS].flatMap(
    (known) => known.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? [],
  );
  return names.length > 0 ? names : [[...userAgent].slice(0, LONGEST).join('')];
}

export function isPhone(userAgent: string | null): boolean {
  return /\b(Android|iPhone|iPad|iPod|Mobile)\b/.test(userAgent ?? '');
}
