import { readText, write } from './storage';
import { createStore } from './store';

type LastSeen = {
  /** When the user's data last came from the server, in milliseconds; null if unknown. */
  at: number | null;
  /** Whether that was in this visit. */
  isFresh: boolean;
};

const KEY = 'adfolio.last_seen';
const MINUTE_MS = 60_000;

export const lastSeenStore = createStore<LastSeen>({ at: readKept(), isFresh: false });

function readKept(): number | null {
  return Number(readText(KEY)) || null;
}

/** Keeps the time for a visit without a network. Minutes are shown, so seconds need no writing. */
export function sawData(at: number): void {
  const { at: before, isFresh } = lastSeenStore.get();
  if (before !== null && at <= before && isFresh) return;
  if (!isFresh || before === null || minuteOf(at) !== minuteOf(before)) write(KEY, String(at));
  lastSeenStore.set({ at, isFresh: true });
}

/** For the end of a session: the next user has seen nothing yet. */
export function forgetLastSeen(): void {
  write(KEY, null);
  lastSeenStore.set({ at: null, isFresh: false });
}

function minuteOf(milliseconds: number): number {
  return Math.floor(milliseconds / MINUTE_MS);
}
