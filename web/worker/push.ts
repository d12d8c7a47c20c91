/** What the worker does with push messages, apart from the events that bring them. */
import { messagePath } from '../src/lib/notice-place';

/** As the notification service writes it. */
type Payload = {
  id?: string;
  title?: string;
  body?: string;
  kind?: string;
  target?: { kind: string; id: string };
  time?: string;
};

/** Of the worker's own types what is needed here, so that the tests, which have a page's types, can use it, too. */
type AppWindow = {
  url: string;
  focus: () => Promise<unknown>;
  navigate: (url: string) => Promise<unknown>;
  postMessage: (message: unknown) => void;
};
type Windows = {
  matchAll: (of: { type: 'window'; includeUncontrolled: true }) => Promise<readonly AppWindow[]>;
  openWindow: (url: string) => Promise<unknown>;
};

const APP_NAME = 'Adfolio';

type Message = { title: string; options: NotificationOptions };

/** The notification of a message. A message without a readable payload must be shown, too: browsers count silent ones. */
export function messageOf(data: { json: () => unknown } | null): Message {
  const { id, title, body, kind, target, time } = payloadOf(data);
  const shown = {
    icon: '/icons/icon-192.png',
    // Android draws it in one colour in the status bar.
    badge: '/icons/badge-96.png',
    timestamp: Date.parse(time ?? '') || Date.now(),
    data: { path: messagePath(kind, target) },
  };
  const text = body ? { body } : {};
  // The same message may arrive twice; the second replaces the first, without another sound.
  const tagged = id ? { tag: id } : {};
  return { title: title || APP_NAME, options: { ...shown, ...text, ...tagged } };
}

function payloadOf(data: { json: () => unknown } | null): Payload {
  try {
    const payload = data?.json();
    return typeof payload === 'object' && payload !== null ? payload : {};
  } catch {
    return {};
  }
}

/** Leads to a place of the app: in the window that the user last looked at, else in a new one. */
export async function openPlace(path: string, clients: Windows, origin: string): Promise<void> {
  const url = `${origin}/#${path}`;
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  // The last used one comes first. The staff's console is of the same origin.
  const client = windows.find(({ url: shown }) => new URL(shown).pathname === '/');
  if (client && (await isLedTo(url, client))) return;
  await clients.openWindow(url);
}

async function isLedTo(url: string, client: AppWindow): Promise<boolean> {
  try {
    // Only a tap of the user lets a worker focus a window; the window is led there all the same.
    await client.focus().catch(() => undefined);
    return (await client.navigate(url)) !== null;
  } catch {
    // Browsers refuse to lead pages that were loaded past the worker.
    return false;
  }
}

/** The browser has changed its address at the push service: only an open page can tell the server so. */
export async function passOnChange(clients: Pick<Windows, 'matchAll'>): Promise<void> {
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  for (const client of windows) client.postMessage({ type: 'push' });
}
