import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { assetFrom, digestOf, kindOf, pageFrom, stepFor } from './strategy';

const ORIGIN = 'https://app.example';
const LIMIT_MS = 3_000;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const asked = (path: string, mode: RequestMode = 'cors', method = 'GET') =>
  kindOf({ url: new URL(path, ORIGIN).href, mode, method }, ORIGIN);

test('only the app’s page and its hashed files are for the worker', () => {
  expect(asked('/', 'navigate')).toBe('page');
  expect(asked('/?source=home', 'navigate')).toBe('page');
  expect(asked('/index.html', 'navigate')).toBe('page');
  expect(asked('/assets/first-1a2b3c4d.js')).toBe('asset');
  for (const path of ['/console', '/console/', '/api/files/1', '/no/such/page']) {
    expect(asked(path, 'navigate'), path).toBe('other');
  }
  for (const path of ['/api/user/info', '/api/stream', '/sw.js', '/healthz', '/console/assets/a.js']) {
    expect(asked(path), path).toBe('other');
  }
  expect(asked('/assets/first-1a2b3c4d.js', 'cors', 'POST')).toBe('other');
  expect(asked('https://elsewhere.example/assets/a.js')).toBe('other');
});

const NEW = new Response('new');
const KEPT = new Response('kept');
const after = <T>(milliseconds: number, value: T) =>
  new Promise<T>((done) => setTimeout(() => done(value), milliseconds));

test('the network’s page is shown if it comes in time', async () => {
  const page = pageFrom(after(LIMIT_MS - 1, NEW), Promise.resolve(KEPT), LIMIT_MS);
  await vi.advanceTimersByTimeAsync(LIMIT_MS - 1);
  expect(await page).toBe(NEW);
});

test('a network that is slow, fails or answers with an error gives way to the kept page', async () => {
  const slow = pageFrom(after(LIMIT_MS + 1, NEW), Promise.resolve(KEPT), LIMIT_MS);
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(await slow).toBe(KEPT);
  const lost = () => Promise.reject(new TypeError('no network'));
  expect(await pageFrom(lost(), Promise.resolve(KEPT), LIMIT_MS)).toBe(KEPT);
  const broken = new Response('', { status: 502 });
  expect(await pageFrom(Promise.resolve(broken), Promise.resolve(KEPT), LIMIT_MS)).toBe(KEPT);
});

test('without a kept page, whatever the network says is the answer', async () => {
  const slow = pageFrom(after(2 * LIMIT_MS, NEW), Promise.resolve(undefined), LIMIT_MS);
  await vi.advanceTimersByTimeAsync(2 * LIMIT_MS);
  expect(await slow).toBe(NEW);
  const lost = pageFrom(Promise.reject(new TypeError('no network')), Promise.resolve(undefined), LIMIT_MS);
  await expect(lost).rejects.toThrow('no network');
});

/** A cache in memory. */
function memory(failure?: Error) {
  const files = new Map<string, Response>();
  return {
    files,
    match: async (path: RequestInfo | URL) => files.get(String(path))?.clone(),
    put: async (path: RequestInfo | URL, answer: Response) => {
      if (failure) throw failure;
      files.set(String(path), answer);
    },
  };
}

test('a file is fetched once', async () => {
  const cache = memory();
  const fetchFile = vi.fn(async () => new Response('code'));
  expect(await (await assetFrom('/assets/a.js', cache, fetchFile)).text()).toBe('code');
  expect(await (await assetFrom('/assets/a.js', cache, fetchFile)).text()).toBe('code');
  expect(fetchFile).toHaveBeenCalledTimes(1);
});

test('an error is not kept, and a full storage keeps no file from the page', async () => {
  const cache = memory();
  const gone = await assetFrom('/assets/a.js', cache, async () => new Response('', { status: 404 }));
  expect(gone.status).toBe(404);
  expect(cache.files.size).toBe(0);
  const full = memory(new DOMException('full', 'QuotaExceededError'));
  const answer = await assetFrom('/assets/a.js', full, async () => new Response('code'));
  expect(await answer.text()).toBe('code');
});

test('a worker takes over under no page of the last release, and not beside other pages', async () => {
  const files = ['/assets/boot-new.js', '/assets/first-1.js'];
  expect(await stepFor('/assets/boot-old.js', files, async () => 1)).toBe('offer');
  expect(await stepFor('/assets/boot-new.js', files, async () => 2)).toBe('wait');
  expect(await stepFor('/assets/boot-new.js', files, async () => 1)).toBe('take over');
});

test('a digest is in hexadecimal digits', async () => {
  expect(await digestOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
