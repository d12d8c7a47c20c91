import type { QueryClient } from '@tanstack/react-query';
import { notificationKeys } from './keys';

const CHANNEL = 'adfolio.notifications';

/** Lets the app's other tabs ask for the unread count again. */
export function tellOtherTabs(): void {
  if (typeof BroadcastChannel === 'undefined') return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('changed');
  channel.close();
}

export function followOtherTabs(queryClient: QueryClient): () => void {
  if (typeof BroadcastChannel === 'undefined') return () => undefined;
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = () => queryClient.invalidateQueries({ queryKey: notificationKeys.all });
  return () => channel.close();
}
