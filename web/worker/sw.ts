/*
 * The service worker. Each release has a cache of its own, filled while the worker is installed, so page and files
 * always fit together. See docs/decisions/0060.
 */
import { messageOf, openPlace, passOnChange } from './push';
import { assetFrom, digestOf, kindOf, pageFrom, stepFor } from './strategy';

declare const self: ServiceWorkerGlobalScope;

/** Set by the build: the SHA-256 of the page, and the files that the app needs to start and to show its main pages. */
declare const __RELEASE__: string;
declare const __FILES__: readonly string[];

const CACHE_PREFIX = 'adfolio-';
const CACHE = `${CACHE_PREFIX}${__RELEASE__}`;
const PAGE = '/';

/** After this time without an answer the kept page is shown. */
const NETWORK_LIMIT_MS = 3_000;

type Message =
  /** A page says which script it runs. */
  | { type: 'page'; script: string }
  /** Files that a page loaded before it had a worker. */
  | { type: 'keep'; paths: readonly string[] };

self.addEventListener('install', (event) => event.waitUntil(keepRelease()));
self.addEventListener('activate', (event) => event.waitUntil(takeOver()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const kind = kindOf(request, self.location.origin);
  if (kind === 'page') {
    const network = Promise.resolve(event.preloadResponse).then((preloaded) => preloaded ?? fetch(request));
    event.respondWith(pageFrom(network, caches.match(PAGE, { cacheName: CACHE }), NETWORK_LIMIT_MS));
  } else if (kind === 'asset') {
    event.respondWith(assetOf(new URL(request.url).pathname, request));
  }
});

self.addEventListener('message', (event) => {
  const message = event.data as Message;
  if (message.type === 'keep') event.waitUntil(keep(message.paths));
  if (message.type === 'page') event.waitUntil(meet(message.script, event.source as Client | null));
});

self.addEventListener('push', (event) => {
  const { title, options } = messageOf(event.data);
  event.waitUntil(self.registration.showNotification(title, options));
});

self.addEventListener('notificationclick', (event) => {
  const { notification } = event;
  notification.close();
  event.waitUntil(openPlace(notification.data.path, self.clients, self.location.origin));
});

// Without an open page, the next start of the app registers the new address.
self.addEventListener('pushsubscriptionchange', (event) => {
  (event as ExtendableEvent).waitUntil(passOnChange(self.clients));
});

/** Fails if the server has another release by now; the browser then tries again later. */
async function keepRelease(): Promise<void> {
  const page = await fetch(PAGE, { cache: 'no-cache' });
  if (!page.ok || (await digestOf(await page.clone().text())) !== __RELEASE__) {
    throw new Error('the page is of another release');
  }
  const cache = await caches.open(CACHE);
  await Promise.all(__FILES__.map((path) => keepFile(cache, path)));
  await cache.put(PAGE, page);
}

async function keepFile(cache: Cache, path: string): Promise<void> {
  if (await cache.match(path)) return;
  // A file of the last release that did not change has the same name.
  const answer = (await caches.match(path)) ?? (await fetch(path));
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  await cache.put(path, answer);
}

/** Runs once no page is left that needs the last release. */
async function takeOver(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(CACHE_PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  // The request for the page does not wait for the worker to start.
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

async function assetOf(path: string, request: Request): Promise<Response> {
  return assetFrom(path, await caches.open(CACHE), () => fetch(request));
}

async function keep(paths: readonly string[]): Promise<void> {
  const cache = await caches.open(CACHE);
  const files = paths.filter((path) => path.startsWith('/assets/'));
  // What cannot be kept is fetched when it is needed.
  await Promise.allSettled(files.map((path) => keepFile(cache, path)));
}

async function meet(script: string, page: Client | null): Promise<void> {
  const step = await stepFor(script, __FILES__, countPages);
  if (step === 'offer') page?.postMessage({ type: 'update' });
  if (step === 'take over') await self.skipWaiting();
}

async function countPages(): Promise<number> {
  return (await self.clients.matchAll({ type: 'window', includeUncontrolled: true })).length;
}
