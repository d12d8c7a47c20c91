import { readObject, write } from '@/lib/storage';
import { type Checkpoint, hasGrown } from './publication';

/** Belongs to the browser, not to a session: the log is public, and a logout must not make it forget. */
const KEY = 'adfolio.checkpoint';

/** The newest checkpoint that this browser has checked. */
export function keptCheckpoint(): Checkpoint | null {
  const kept = readObject(KEY);
  if (!kept || !('log' in kept && 'size' in kept && 'root' in kept)) return null;
  const { log, size, root } = kept;
  const isKnown = typeof log === 'string' && typeof size === 'number' && typeof root === 'string';
  return isKnown ? { log, size, root } : null;
}

/**
 * Keeps a checkpoint unless it contradicts the one that was kept before it was asked for. False if it does: the log shrank,
 * or what was in it is no longer there. A log of another name is a new one.
 */
export async function keepCheckpoint(
  kept: Checkpoint | null,
  newest: Checkpoint,
  loadPath: (first: number, second: number) => Promise<string[]>,
): Promise<boolean> {
  if (kept && kept.log === newest.log) {
    const isLater = kept.size < newest.size;
    const path = isLater ? await loadPath(kept.size, newest.size) : [];
    if (!hasGrown(kept, newest, path)) return false;
  }
  write(KEY, newest);
  return true;
}
