/** What customer service learns about who writes. Empty for what is not known, as of a visitor. */
export type Caller = { username: string; user_id: string; subject: string; lang: string };

/** As staff write it, or as a browser writes it. */
const PLACEHOLDER = /(?:\{|%7B)(username|user_id|subject|lang)(?:\}|%7D)/gi;

/**
 * The address of a contact for a user: its query and fragment with their placeholders filled in. A web page without any
 * gets the name and the subject as parameters.
 */
export function contactAddress(url: string, caller: Caller): string {
  const start = url.search(/[?#]/);
  const [place, rest] = start < 0 ? [url, ''] : [url.slice(0, start), url.slice(start)];
  const filled = rest.replace(PLACEHOLDER, (_, name: string) =>
    encoded(caller[name.toLowerCase() as keyof Caller]),
  );
  if (filled !== rest || !isWebAddress(url)) return `${place}${filled}`;
  return withParameters(place, rest, { name: caller.username, subject: caller.subject });
}

export function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

/** Leaves what the address has as it is, because its page may read it in its own way. */
function withParameters(place: string, rest: string, wanted: Record<string, string>): string {
  const fragmentAt = rest.indexOf('#');
  const [query, fragment] = fragmentAt < 0 ? [rest, ''] : [rest.slice(0, fragmentAt), rest.slice(fragmentAt)];
  const present = new URLSearchParams(query);
  const added = Object.entries(wanted)
    .filter(([name, value]) => value !== '' && !present.has(name))
    .map(([name, value]) => `${name}=${encoded(value)}`);
  const all = [query.slice(1), ...added].filter((part) => part !== '').join('&');
  return `${place}${all === '' ? query : `?${all}`}${fragment}`;
}

/** Texts of the app have soft hyphens, which nobody wants to read elsewhere. */
function encoded(value: string): string {
  return encodeURIComponent(value.replaceAll('\u00ad', ''));
}
