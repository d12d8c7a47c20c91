/** The value of `X-TZ`: the zone's name and current offset, `Asia/Shanghai GMT+08:00`. */
export function timeZoneHeader(now: Date = new Date(), zone: string = timeZoneName()): string {
  return `${zone} GMT${offsetText(-now.getTimezoneOffset())}`;
}

let known = { offset: Number.NaN, name: '' };

/** Every call needs it, so the browser is asked again only when the offset changes. */
export function timeZoneName(): string {
  const offset = new Date().getTimezoneOffset();
  if (known.offset !== offset) known = { offset, name: askBrowser() || 'UTC' };
  return known.name;
}

declare global {
  /** In the standard, but not yet in all supported browsers or in TypeScript's library. */
  var Temporal: { Now: { timeZoneId(): string } } | undefined;
}

/** `Intl` would load its date formatting first and delay the first call of a visit. */
function askBrowser(): string {
  return globalThis.Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** `+08:00` for 480 minutes east of Greenwich. */
export function offsetText(minutesEast: number): string {
  const sign = minutesEast < 0 ? '-' : '+';
  const total = Math.abs(minutesEast);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${sign}${two(Math.floor(total / 60))}:${two(total % 60)}`;
}
