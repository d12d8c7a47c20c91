import type { QueryClient } from '@tanstack/react-query';
import { notificationKeys } from './keys';

// One channel for sending and receiving: it does not hear itself, but would hear a second one in the same tab.
let shared: BroadcastChannel | null = null;

function channel(): BroadcastChannel | null {
  if (typeof BroadcastChannel === 'undefined') return null;
  shared ??= new BroadcastChannel('adfolio.notifications');
  return shared;
}

/** Makes the app's other tabs refetch their notifications. */
export function tellOtherTabs(): void {
  channel()?.postMessage('changed');
}

export function followOtherTabs(queryClient: QueryClient): () => void {
  const listen = () => void queryClient.invalidateQueries({ queryKey: notificationKeys.all });
  channel()?.addEventListener('message', listen);
  return () => channel()?.removeEventListener('message', listen);
}
