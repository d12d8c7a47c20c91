import { get, post } from '@/lib/api/call';
import { registerWorker } from '@/lib/worker';
import { canPush, keepPushOwner, pushOwner } from './device';

export type PushState =
  | 'on'
  | 'off'
  /** Refused by the browser, as the user once chose. Only the browser's settings change that. */
  | 'denied';

/** How long an installed worker may take to start. */
const WORKER_LIMIT_MS = 20_000;

/** Whether this device shows the user's messages. */
export async function pushState(userId: string): Promise<PushState> {
  if (Notification.permission === 'denied') return 'denied';
  const isOn = Notification.permission === 'granted' && pushOwner() === userId;
  return isOn && (await ownSubscription()) ? 'on' : 'off';
}

/** Asks for permission, so only a tap may call it. Closing the browser's question leaves messages off. */
export async function turnOn(userId: string, key: string): Promise<PushState> {
  // Before everything else: a later question would no longer belong to the tap.
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') return permission === 'denied' ? 'denied' : 'off';
  await registerWorker();
  const subscription = await subscribed(key);
  try {
    await register(subscription);
  } catch (error) {
    await subscription.unsubscribe().catch(() => undefined);
    throw error;
  }
  keepPushOwner(userId);
  return 'on';
}

/** Either end suffices: without the browser's subscription the push service refuses messages. */
export async function turnOff(): Promise<PushState> {
  const subscription = await ownSubscription();
  if (subscription) {
    const { endpoint } = subscription;
    const ends = [post('/push/unsubscribe', { endpoint }), subscription.unsubscribe()];
    const outcomes = await Promise.allSettled(ends);
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed && outcomes.every(({ status }) => status === 'rejected')) {
      throw (failed as PromiseRejectedResult).reason;
    }
  }
  keepPushOwner(null);
  return 'off';
}

/**
 * Registers this browser again, with its current address and the user's current language. If another user wanted the
 * messages, this one does not get them.
 */
export async function renew(userId: string): Promise<void> {
  const owner = pushOwner();
  if (owner === null || !canPush()) return;
  if (owner !== userId) {
    await (await ownSubscription())?.unsubscribe();
    keepPushOwner(null);
    return;
  }
  if (Notification.permission !== 'granted') return;
  const { public_key: key } = await get('/push/key');
  if (key !== null) await register(await subscribed(key));
}

async function ownSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** The browser's subscription with this key, else a new one. */
async function subscribed(key: string): Promise<PushSubscription> {
  const wanted = bytesOf(key);
  const { pushManager } = await readyRegistration();
  const known = await pushManager.getSubscription();
  if (known && isSame(new Uint8Array(known.options.applicationServerKey ?? []), wanted)) return known;
  // The server has another key by now. A browser has one subscription at a time.
  await known?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: wanted });
}

/** A worker that cannot be installed would be waited for without end. */
async function readyRegistration(): Promise<ServiceWorkerRegistration> {
  const tooLate = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('no service worker')), WORKER_LIMIT_MS);
  });
  return Promise.race([navigator.serviceWorker.ready, tooLate]);
}

async function register(subscription: PushSubscription): Promise<void> {
  const { endpoint = '', keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON();
  await post('/push/subscribe', { endpoint, p256dh, auth });
}

/** Not all browsers take the key as text. */
function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
