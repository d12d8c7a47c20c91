import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { ApiError } from '@/lib/api/error';
import { newIdempotencyKey } from '@/lib/idempotency';
import { staffSession } from '../session/store';

const KEPT_KEY = 'adfolio.console.intentions';
/** Acts with an unknown outcome. Far more than anybody leaves open. */
const KEPT = 50;

/**
 * The idempotency key of what a member is about to do. The same act has the same key until the server has certainly done
 * or refused it: also when the dialog was closed after a lost answer and is filled in again, and after a reload.
 */
export function intentionKey(path: string, body: unknown): string {
  const open = readOpen();
  const name = nameOf(path, body);
  const known = open.find((intention) => intention.name === name);
  if (known) return known.key;
  const key = newIdempotencyKey();
  keepOpen([{ name, key }, ...open].slice(0, KEPT));
  return key;
}

/** Reports the outcome; null means success. An unknown outcome keeps the key. */
export function settleIntention(path: string, body: unknown, error: unknown): void {
  if (error !== null && !(error instanceof ApiError && error.refused)) return;
  const name = nameOf(path, body);
  keepOpen(readOpen().filter((intention) => intention.name !== name));
}

type Intention = { name: string; key: string };

/**
 * The name of an act. Members who share a tab do not share their acts. A hash, because a body may hold a secret, such as
 * a new member's password.
 */
function nameOf(path: string, body: unknown): string {
  const text = `${staffSession.get().staff?.id ?? ''} ${path} ${JSON.stringify(body)}`;
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** Holds them where storage is blocked. */
let inMemory: readonly Intention[] = [];

function readOpen(): readonly Intention[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEPT_KEY) ?? '[]');
    return Array.isArray(kept) ? (kept as Intention[]) : [];
  } catch {
    return inMemory;
  }
}

function keepOpen(open: readonly Intention[]): void {
  inMemory = open;
  try {
    if (open.length === 0) sessionStorage.removeItem(KEPT_KEY);
    else sessionStorage.setItem(KEPT_KEY, JSON.stringify(open));
  } catch {
    // Kept in memory only.
  }
}
