import { createStore } from '@/lib/store';

/** A message that stops everything until it is read: at most one, whatever number of calls ran into it. */
export type BlockingMessage = { kind: 'expired' | 'account'; text: string };

export const blockingMessageStore = createStore<BlockingMessage | null>(null);

export function showBlockingMessage(message: BlockingMessage): void {
  blockingMessageStore.set((current) => current ?? message);
}
