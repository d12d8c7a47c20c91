import { afterEach, expect, test } from 'vitest';
import { forgetLastSeen, lastSeenStore, sawData } from './last-seen';

const KEY = 'adfolio.last_seen';
/** Later than any real answer of the tests that ran before in this worker. */
const NOON = Date.UTC(2126, 10, 27, 12, 4);

afterEach(() => {
  forgetLastSeen();
});

test('the newest time counts, and is written once a minute', () => {
  for (const seconds of [0, 20, 10, 59]) sawData(NOON + seconds * 1_000);
  expect(lastSeenStore.get()).toEqual({ at: NOON + 59_000, isFresh: true });
  expect(localStorage.getItem(KEY)).toBe(String(NOON));
  sawData(NOON + 60_000);
  expect(localStorage.getItem(KEY)).toBe(String(NOON + 60_000));
});

test('a forgotten time is gone from the storage', () => {
  sawData(NOON);
  forgetLastSeen();
  expect(lastSeenStore.get()).toEqual({ at: null, isFresh: false });
  expect(localStorage.getItem(KEY)).toBeNull();
});
