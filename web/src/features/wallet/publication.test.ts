import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { beforeAll, expect, test, vi } from 'vitest';
import { comparePublication, hasGrown, type Proof } from './publication';
import type { ChainEnd } from './statement';

const USER = '0193b2a4-5a00-7000-8000-0000000000aa';
const hex = (text: string) => bytesToHex(sha256(utf8ToBytes(text)));
const end: ChainEnd = { userId: USER, sequence: 7, hash: hex('seven') };
const leaf = `adfolio-head-1|${USER}|7|${end.hash}`;
const base64 = (value: Uint8Array) => btoa(String.fromCharCode(...value));

let keys: CryptoKeyPair;
let key: string;

beforeAll(async () => {
  keys = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
  const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', keys.publicKey));
  const typed = concatBytes(Uint8Array.of(1), publicKey);
  const id = sha256(concatBytes(utf8ToBytes('log\n'), typed)).slice(0, 4);
  key = `log+${bytesToHex(id)}+${base64(typed)}`;
});

/** RFC 6962, section 2.1, for three leaves: the last one's path is the node of the others. */
async function proofOf(last: string): Promise<Proof> {
  const hashed = (prefix: number, ...parts: Uint8Array[]) =>
    sha256(concatBytes(Uint8Array.of(prefix), ...parts));
  const others = hashed(1, hashed(0, utf8ToBytes('one')), hashed(0, utf8ToBytes('two')));
  const root = hashed(1, others, hashed(0, utf8ToBytes(last)));
  const text = `log\n3\n${base64(root)}\ntime 2026-11-26T09:30:00Z\n`;
  const signature = await crypto.subtle.sign('Ed25519', keys.privateKey, new TextEncoder().encode(text));
  const line = concatBytes(hexToBytes(key.split('+')[1] ?? ''), new Uint8Array(signature));
  const note = `${text}\n\u2014 log ${base64(line)}\n`;
  return { leaf: last, index: 2, size: 3, path: [bytesToHex(others)], note, links: [] };
}

test('a published end is found in its checkpoint', async () => {
  const proof = await proofOf(leaf);
  const published = { state: 'published', time: '2026-11-26T09:30:00Z', signed: true };
  const root = proof.note.split('\n')[2];
  const checkpoint = { log: 'log', size: 3, root };
  expect(await comparePublication(end, proof, key)).toEqual({ ...published, checkpoint });
});

test.each([1, 2])('an end before the published one is bridged, in version %i', async (version) => {
  const text = `adfolio-chain-${version}|${USER}|8|and so on`;
  const hash = bytesToHex(sha256(concatBytes(hexToBytes(end.hash), utf8ToBytes(text))));
  const proof = await proofOf(`adfolio-head-1|${USER}|8|${hash}`);
  expect(await comparePublication(end, { ...proof, links: [text] }, key)).toMatchObject({
    state: 'published',
  });
  expect(await comparePublication(end, proof, key)).toEqual({ state: 'waiting' });
  const other = text.replace('so on', 'no more');
  expect(await comparePublication(end, { ...proof, links: [other] }, key)).toEqual({ state: 'contradicts' });
});

test('whatever does not fit contradicts', async () => {
  const proof = await proofOf(leaf);
  const contradicts = { state: 'contradicts' };
  const rewritten = { ...end, hash: hex('another seven') };
  expect(await comparePublication(rewritten, proof, key)).toEqual(contradicts);
  for (const change of [
    { index: 1 },
    { size: 4 },
    { path: [hex('x')] },
    { path: [] },
    { note: proof.note.replace('09:30', '09:31') },
    { note: proof.note.replace('\u2014 log ', '\u2014 another ') },
    { note: '' },
  ]) {
    expect(await comparePublication(end, { ...proof, ...change }, key), JSON.stringify(change)).toEqual(
      contradicts,
    );
  }
});

test("another wallet's file is not compared", async () => {
  const stranger = { ...end, userId: '0193b2a4-5a00-7000-8000-0000000000ab' };
  expect(await comparePublication(stranger, await proofOf(leaf), key)).toBeNull();
});

test('a browser without Ed25519 checks the rest', async () => {
  const proof = await proofOf(leaf);
  const absent = vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(new Error('NotSupportedError'));
  expect(await comparePublication(end, proof, key)).toMatchObject({ state: 'published', signed: false });
  absent.mockRestore();
});

/** RFC 6962, section 2.1: the tree, and the path from an earlier log to it, as the standard defines them. */
function treeOf(leaves: string[]): Uint8Array {
  if (leaves.length === 1) return sha256(concatBytes(Uint8Array.of(0), utf8ToBytes(leaves[0] ?? '')));
  const cut = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return sha256(concatBytes(Uint8Array.of(1), treeOf(leaves.slice(0, cut)), treeOf(leaves.slice(cut))));
}

function pathTo(leaves: string[], size: number, isWhole = true): Uint8Array[] {
  if (size === leaves.length) return isWhole ? [] : [treeOf(leaves)];
  const cut = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return size <= cut
    ? [...pathTo(leaves.slice(0, cut), size, isWhole), treeOf(leaves.slice(cut))]
    : [...pathTo(leaves.slice(cut), size - cut, false), treeOf(leaves.slice(0, cut))];
}

test('a log of every size continues every earlier one, and a rewritten one does not', () => {
  const leaves = Array.from({ length: 33 }, (_, place) => `leaf ${place}`);
  const state = (of: string[]) => ({ log: 'log', size: of.length, root: base64(treeOf(of)) });
  for (let size = 1; size <= leaves.length; size += 1) {
    const later = state(leaves.slice(0, size));
    for (let first = 1; first <= size; first += 1) {
      const path = pathTo(leaves.slice(0, size), first).map(bytesToHex);
      const earlier = state(leaves.slice(0, first));
      expect(hasGrown(earlier, later, path), `${first} to ${size}`).toBe(true);
      const rewritten = state(leaves.slice(0, first).with(first - 1, 'another'));
      expect(hasGrown(rewritten, later, path), `${first} to ${size}`).toBe(false);
      if (first < size) {
        expect(hasGrown(earlier, later, path.slice(1)), `${first} to ${size}`).toBe(false);
        expect(hasGrown(later, earlier, path)).toBe(false);
        expect(hasGrown(earlier, later, [...path, hex('more')])).toBe(false);
      }
    }
  }
});
