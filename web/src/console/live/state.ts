import { createStore } from '@/lib/store';
import { useStore } from '@/lib/use-store';
import type { StaffGetPath } from '../api/call';
import { isWhollyTold } from './kinds';

/** Whether the stream of staff is connected. */
export const isLive = createStore(false);

/** How often what is shown is read anew without events, and where events tell of every change. */
const READ_EVERY_MS = 30_000;
const READ_EVERY_WHILE_TOLD_MS = 120_000;

/** How often a list is read anew while somebody looks at it: seldom while the stream tells of all its changes. */
export function useReadEvery(path: StaffGetPath): number {
  const live = useStore(isLive);
  return live && isWhollyTold(path) ? READ_EVERY_WHILE_TOLD_MS : READ_EVERY_MS;
}
