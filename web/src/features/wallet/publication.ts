import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { ChainEnd } from './statement';

/** The answer of the API that a wallet's chain is in a signed checkpoint. */
export type Proof = {
  leaf: string;
  index: number;
  size: number;
  path: string[];
  note: string;
  links: string[];
};

export type Publication =
  /** The chain is in a checkpoint of that time. Old browsers cannot check its signature. */
  | { state: 'published'; time: string; signed: boolean; checkpoint: Checkpoint }
  | { state: 'waiting' }
  /** The log is not the one whose checkpoint this browser has kept. */
  | { state: 'rewritten' }
  /** The chain is not what was published. */
  | { state: 'contradicts' };

/** A state of the log of that name; the root in base64. */
export type Checkpoint = { log: string; size: number; root: string };

const CONTRADICTS: Publication = { state: 'contradicts' };

/** Compares a chain's end with what was published of it. Null for another wallet's chain. */
export async function comparePublication(
  end: ChainEnd,
  proof: Proof,
  key: string,
): Promise<Publication | null> {
  const [, userId, sequence, hash] = proof.leaf.split('|');
  if (userId !== end.userId) return null;
  // Too many transactions lie between the two.
  if (Number(sequence) > end.sequence && proof.links.length === 0) return { state: 'waiting' };
  const reached = follow(end, proof.links);
  if (proof.leaf !== `adfolio-head-1|${userId}|${reached?.sequence}|${reached?.hash}` || !hash) {
    return CONTRADICTS;
  }
  const checkpoint = readNote(proof.note);
  const root = rootOf(proof);
  if (!checkpoint || !root || checkpoint.size !== proof.size || checkpoint.root !== base64(root)) {
    return CONTRADICTS;
  }
  const signed = await isSigned(checkpoint, key);
  if (signed === false) return CONTRADICTS;
  const { log, size, time } = checkpoint;
  return {
    state: 'published',
    time,
    signed: signed === true,
    checkpoint: { log, size, root: checkpoint.root },
  };
}

/** The end that follows from the hashed texts of the next transactions. */
function follow(end: ChainEnd, links: string[]): ChainEnd | null {
  let { sequence, hash } = end;
  for (const text of links) {
    sequence += 1;
    const [format, userId, number] = text.split('|');
    const isNext = userId === end.userId && number === String(sequence);
    if (!isNext || (format !== 'adfolio-chain-1' && format !== 'adfolio-chain-2')) return null;
    hash = bytesToHex(sha256(concatBytes(hexToBytes(hash), utf8ToBytes(text))));
  }
  return { ...end, sequence, hash };
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
const HASH = /^[0-9a-f]{64}$/;

/** The root that follows from a leaf and its path (RFC 9162, section 2.1.3.2), if they fit. */
function rootOf({ leaf, index, size, path }: Proof): Uint8Array | null {
  if (!(Number.isSafeInteger(index) && Number.isSafeInteger(size) && index >= 0 && index < size)) return null;
  let place = index;
  let last = size - 1;
  let root = sha256(concatBytes(LEAF, utf8ToBytes(leaf)));
  // Not by bits: sizes may be larger than 32 of them.
  const up = (value: number) => Math.floor(value / 2);
  for (const step of path) {
    if (last === 0 || !HASH.test(step)) return null;
    const other = hexToBytes(step);
    if (place % 2 === 1 || place === last) {
      root = sha256(concatBytes(NODE, other, root));
      while (place % 2 === 0 && place !== 0) [place, last] = [up(place), up(last)];
    } else {
      root = sha256(concatBytes(NODE, root, other));
    }
    [place, last] = [up(place), up(last)];
  }
  return last === 0 ? root : null;
}

type Note = Checkpoint & { text: string; time: string; signatures: string[] };

function readNote(note: string): Note | null {
  const end = note.lastIndexOf('\n\n');
  if (end < 0) return null;
  const text = note.slice(0, end + 1);
  const [log = '', size, root, ...extensions] = text.split('\n');
  const time = extensions.find((line) => line.startsWith('time '))?.slice('time '.length);
  if (!root || !time) return null;
  return { text, log, size: Number(size), root, time, signatures: note.slice(end + 2).split('\n') };
}

/** Whether a log has grown from an earlier checkpoint to a later one, by a path of hashes (RFC 9162, section 2.1.4.2). */
export function hasGrown(earlier: Checkpoint, later: Checkpoint, path: string[]): boolean {
  if (earlier.size === later.size) return earlier.root === later.root;
  if (!(earlier.size > 0 && earlier.size < later.size && path.every((step) => HASH.test(step)))) return false;
  const up = (value: number) => Math.floor(value / 2);
  let place = earlier.size - 1;
  let last = later.size - 1;
  while (place % 2 === 1) [place, last] = [up(place), up(last)];
  const steps = path.map(hexToBytes);
  // The earlier log is a whole subtree of the later one, so its root is not repeated.
  const first = place === 0 ? bytes(earlier.root) : steps.shift();
  if (!first) return false;
  let [old, now] = [first, first];
  for (const step of steps) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      old = sha256(concatBytes(NODE, step, old));
      now = sha256(concatBytes(NODE, step, now));
      while (place % 2 === 0 && place !== 0) [place, last] = [up(place), up(last)];
    } else {
      now = sha256(concatBytes(NODE, now, step));
    }
    [place, last] = [up(place), up(last)];
  }
  return last === 0 && base64(old) === earlier.root && base64(now) === later.root;
}

/** Whether a checkpoint is signed with a key, `NAME+KEY ID+BASE64`. Null where the browser cannot tell. */
async function isSigned(note: Note, key: string): Promise<boolean | null> {
  const [name, id, ...rest] = key.trim().split('+');
  const publicKey = bytes(rest.join('+')).slice(1);
  const line = note.signatures
    .filter((candidate) => candidate.startsWith(`\u2014 ${name} `))
    .map((candidate) => bytes(candidate.split(' ')[2] ?? ''))
    .find((signature) => bytesToHex(signature.slice(0, 4)) === id);
  if (!line) return false;
  let imported: CryptoKey;
  try {
    imported = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
  } catch {
    return null;
  }
  return crypto.subtle.verify('Ed25519', imported, line.slice(4), new TextEncoder().encode(note.text));
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function base64(value: Uint8Array): string {
  return btoa(String.fromCharCode(...value));
}
