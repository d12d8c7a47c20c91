import { hasHost } from '@/lib/host';
import { readText, write } from '@/lib/storage';

const OWNER_KEY = 'adfolio.push';
const DISMISSED_KEY = 'adfolio.push_dismissed';

/** Whether this browser can show messages. A host app has its own. */
export function canPush(): boolean {
  const isAble = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  return window.isSecureContext && isAble && !hasHost();
}

/** The id of the user who wants messages on this device; null if nobody does. Stays when a session expires. */
export function pushOwner(): string | null {
  return readText(OWNER_KEY);
}

export function keepPushOwner(userId: string | null): void {
  write(OWNER_KEY, userId);
}

/** Whether the user wants no offer of messages on this device. */
export function isOfferDismissed(): boolean {
  return readText(DISMISSED_KEY) !== null;
}

export function dismissOffer(): void {
  write(DISMISSED_KEY, 'yes');
}
