import type { QueryClient } from '@tanstack/react-query';
import { notificationKeys } from './keys';

// One for listening and telling: a channel does not hear itself, but would hear another one of the same tab.
let shared: BroadcastChannel | null = null;

function channel(): BroadcastChannel | null {
  if (typeof BroadcastChannel === 'undefined') return null;
  shared ??= new BroadcastChannel('adfolio.notifications');
  return shared;
}

/** Lets the app's other tabs ask for the notifications again. */
export function tellOtherTabs(): void {
  channel()?.postMessage('changed');
}

export function followOtherTabs(queryClient: QueryClient): () => void {
  const listen = () => void queryClient.invalidateQueries({ queryKey: notificationKeys.all });
  channel()?.addEventListener('message', listen);
  return () => channel()?.removeEventListener('message', listen);
}
