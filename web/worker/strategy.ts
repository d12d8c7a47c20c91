/** What the worker does with requests, apart from the events that bring them. */

export type Kind =
  /** The app's page, which the network has newest. */
  | 'page'
  /** A file whose name has the hash of its content. */
  | 'asset'
  /** Not for this worker: the API, the staff's console, other origins, and whatever changes something. */
  | 'other';

type Asked = Pick<Request, 'method' | 'mode' | 'url'>;

/** Hash routes leave one page, so no other navigation is the app's. */
export function kindOf({ method, mode, url }: Asked, origin: string): Kind {
  const asked = new URL(url);
  if (method !== 'GET' || asked.origin !== origin) return 'other';
  if (mode === 'navigate')
    return asked.pathname === '/' || asked.pathname === '/index.html' ? 'page' : 'other';
  return asked.pathname.startsWith('/assets/') ? 'asset' : 'other';
}

/**
 * The network's page if it comes in time, else the kept one. A server that fails is no better than none. Without a kept
 * page the network has all the time it wants.
 */
export async function pageFrom(
  network: Promise<Response>,
  kept: Promise<Response | undefined>,
  limitMs: number,
): Promise<Response> {
  const inTime = await Promise.race([network.catch(() => undefined), afterwards(limitMs)]);
  if (inTime && inTime.status < 500) return inTime;
  return (await kept) ?? network;
}

function afterwards(limitMs: number): Promise<undefined> {
  return new Promise((done) => setTimeout(() => done(undefined), limitMs));
}

/** The kept file, else the network's, which is kept from then on. */
export async function assetFrom(
  path: string,
  files: Pick<Cache, 'match' | 'put'>,
  fetchFile: () => Promise<Response>,
): Promise<Response> {
  const kept = await files.match(path);
  if (kept) return kept;
  const answer = await fetchFile();
  // Storage may be full; the answer is good all the same.
  if (answer.ok) await files.put(path, answer.clone()).catch(() => undefined);
  return answer;
}

/**
 * What a worker that waits does when a page says which script it runs: a page of the last release learns of the update,
 * and a page of the worker's own release lets it take over unless other pages are open.
 */
export async function stepFor(
  script: string,
  files: readonly string[],
  countPages: () => Promise<number>,
): Promise<'offer' | 'wait' | 'take over'> {
  if (!files.includes(script)) return 'offer';
  return (await countPages()) > 1 ? 'wait' : 'take over';
}

/** The SHA-256 of a text in hexadecimal digits. */
export async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
