export type FrameDecision = { allowed: true; src: string; sandbox: string } | { allowed: false };

const SANDBOX = 'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads';

/**
 * Whether a page may be framed: only https pages of an origin among the contacts. Pages of the app's own origin lose
 * that origin's rights, which would let them out of the sandbox.
 */
export function decideFrame(
  wanted: string | null,
  contacts: readonly { url: string }[],
  ownOrigin: string,
): FrameDecision {
  const page = parse(wanted);
  if (!page || !isWebPage(page, ownOrigin)) return { allowed: false };
  if (!contacts.some(({ url }) => parse(url)?.origin === page.origin)) return { allowed: false };
  const sandbox = page.origin === ownOrigin ? SANDBOX : `${SANDBOX} allow-same-origin`;
  return { allowed: true, src: page.href, sandbox };
}

function isWebPage({ protocol, origin, username, password }: URL, ownOrigin: string): boolean {
  // A user name in the URL only serves to imitate another host.
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || origin === ownOrigin;
}

function parse(address: string | null): URL | null {
  try {
    return address ? new URL(address) : null;
  } catch {
    return null;
  }
}
