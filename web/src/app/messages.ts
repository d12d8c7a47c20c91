import { createStore } from '@/lib/store';

/** A message that blocks the app until it is answered. At most one exists, however many calls triggered it. */
export type BlockingMessage = { kind: 'expired' | 'account'; text: string };

export const blockingMessageStore = createStore<BlockingMessage | null>(null);

export function showBlockingMessage(message: BlockingMessage): void {
  blockingMessageStore.set((current) => current ?? message);
}
