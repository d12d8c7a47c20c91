import { hasHost } from './host';
import { updateStore } from './update';

/** A page that stays open looks for a new release when the user comes back to it, but not more often. */
const LOOK_EVERY_MS = 60 * 60_000;

/**
 * Registers the service worker, with which the app opens without a network. A host app has its own ways to keep what it
 * shows, and plain http has no workers.
 */
export async function startWorker(): Promise<void> {
  if (!window.isSecureContext || !('serviceWorker' in navigator) || hasHost()) return;
  const workers = navigator.serviceWorker;
  try {
    const registration = await registerWorker();
    workers.addEventListener('message', ({ data }) => {
      if (data?.type === 'update') updateStore.set(true);
    });
    introduceTo(registration.waiting);
    registration.addEventListener('updatefound', () => followUp(registration.installing));
    workers.addEventListener('controllerchange', () => keepLoadedFiles(workers.controller));
    keepLoadedFiles((await workers.ready).active);
    lookForUpdates(registration);
  } catch {
    // Blocked by the browser or without a network: the app works as it does without.
  }
}

/** Past the HTTP cache. Repeating it changes nothing. */
export function registerWorker(): Promise<ServiceWorkerRegistration> {
  return navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' });
}

function followUp(installing: ServiceWorker | null): void {
  installing?.addEventListener('statechange', () => {
    // The first worker of all has nobody to wait for.
    if (installing.state === 'installed' && navigator.serviceWorker.controller) introduceTo(installing);
  });
}

/** Tells a waiting worker which release this page is of. */
function introduceTo(worker: ServiceWorker | null): void {
  const script = document.querySelector<HTMLScriptElement>('script[src*="/assets/boot-"]');
  if (script) worker?.postMessage({ type: 'page', script: new URL(script.src).pathname });
}

/** Lets the worker keep what the page loaded past it: the language, and pages that were fetched ahead. */
function keepLoadedFiles(worker: ServiceWorker | null): void {
  const paths = performance
    .getEntriesByType('resource')
    .map(({ name }) => new URL(name))
    .filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith('/assets/'))
    .map(({ pathname }) => pathname);
  worker?.postMessage({ type: 'keep', paths: [...new Set(paths)] });
}

function lookForUpdates(registration: ServiceWorkerRegistration): void {
  let looked = Date.now();
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || Date.now() - looked < LOOK_EVERY_MS) return;
    looked = Date.now();
    registration.update().catch(() => undefined);
  });
}
