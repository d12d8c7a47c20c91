import { QueryClient, QueryClientProvider, QueryObserver } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { roots, sharedKeys } from '@/domain/keys';
import { notificationKeys } from '@/features/notifications/api/keys';
import { unreadCountQuery } from '@/features/notifications/api/queries';
import { planKeys } from '@/features/plan/api/keys';
import { liveStore } from '@/lib/live/state';
import { startSession } from '@/lib/session/store';
import { Live } from './live';

const TURN_MS = 30_000;

let client: QueryClient;
let asked: ReturnType<typeof vi.spyOn>;

// The page loads it on demand.
beforeAll(() => import('@/lib/live/stream'));

beforeEach(() => {
  vi.useFakeTimers();
  // A stream that never opens.
  vi.stubGlobal('fetch', () => new Promise(() => undefined));
  client = new QueryClient();
  asked = vi.spyOn(client, 'invalidateQueries');
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  liveStore.set(false);
});

function follow() {
  startSession('token-1', 'register');
  return show();
}

function show() {
  return render(
    <QueryClientProvider client={client}>
      <Live />
    </QueryClientProvider>,
  );
}

test('without a stream badge, wallet and plans are asked for every 30 s', async () => {
  follow();
  await vi.advanceTimersByTimeAsync(TURN_MS - 1);
  expect(asked).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveBeenCalledTimes(3);
  for (const root of [roots.wallet, roots.plans])
    expect(asked).toHaveBeenCalledWith(expect.objectContaining({ queryKey: root }));
  await vi.advanceTimersByTimeAsync(TURN_MS);
  expect(asked).toHaveBeenCalledTimes(6);
});

test('with a stream they are asked for every tenth time only', async () => {
  follow();
  await vi.advanceTimersByTimeAsync(0);
  liveStore.set(true);
  await vi.advanceTimersByTimeAsync(9 * TURN_MS);
  expect(asked).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(TURN_MS);
  expect(asked).toHaveBeenCalledTimes(3);
});

test('what was fetched just before a stream began is fetched again 5 s later', async () => {
  const say = (kind: string) => new TextEncoder().encode(`event: ${kind}\ndata: {}\n\n`);
  const body = new ReadableStream({
    start: (stream) => {
      for (const kind of ['unread', 'wallet', 'plan']) stream.enqueue(say(kind));
    },
  });
  vi.stubGlobal(
    'fetch',
    async () => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }),
  );
  const property = { queryKey: sharedKeys.property, queryFn: vi.fn(async () => 0) };
  await client.fetchQuery(property);
  const onScreen = new QueryObserver(client, { ...property, staleTime: Number.POSITIVE_INFINITY });
  const leave = onScreen.subscribe(() => undefined);
  await opened();
  await vi.advanceTimersByTimeAsync(4_900);
  expect(property.queryFn).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(property.queryFn).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(TURN_MS);
  expect(property.queryFn).toHaveBeenCalledTimes(2);
  leave();
});

/** A stream that says these events, one after another. */
function streamOf(...events: [kind: string, data: object][]) {
  const text = events.map(([kind, data]) => `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`).join('');
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(text)) });
  const response = new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
  vi.stubGlobal('fetch', async () => response);
}

async function opened() {
  follow();
  // Not for all imports: other test files of this worker may have left some open.
  await vi.waitFor(() => expect(liveStore.get()).toBe(true), { interval: 1 });
  await vi.advanceTimersByTimeAsync(10);
}

test('the badge takes the count of the stream, unless a later one is known', async () => {
  const { queryKey } = unreadCountQuery;
  client.setQueryData(queryKey, { unread_total: 2, sequence: 7 });
  streamOf(['unread', { total: 3, sequence: 9 }], ['unread', { total: 5, sequence: 8 }]);
  await opened();
  expect(client.getQueryData(queryKey)).toEqual({ unread_total: 3, sequence: 9 });
  expect(asked).toHaveBeenCalledExactlyOnceWith({ queryKey: notificationKeys.lists });
});

test('a count that the stream does not know is fetched', async () => {
  streamOf(['unread', { total: null, sequence: 0 }]);
  await opened();
  expect(asked).toHaveBeenCalledWith(expect.objectContaining({ queryKey: unreadCountQuery.queryKey }));
});

test('of a named plan its own page and the lists are fetched, of an unnamed one all', async () => {
  const keys = [
    planKeys.detail('plan-1'),
    planKeys.detail('plan-2'),
    planKeys.reports('plan-2'),
    planKeys.pace('plan-1'),
    planKeys.pace('plan-2'),
    planKeys.placements('plan-2'),
    planKeys.waiting,
  ];
  for (const key of keys) client.setQueryData(key, {}, { updatedAt: 1 });
  const stale = () => keys.filter((key) => client.getQueryState(key)?.isInvalidated);
  streamOf(['plan', { id: 'plan-1', sequence: 4 }]);
  await opened();
  expect(stale()).toEqual([planKeys.detail('plan-1'), planKeys.pace('plan-1'), planKeys.waiting]);
  // What was missed before the stream began may have been any.
  await vi.advanceTimersByTimeAsync(5_000);
  expect(stale()).toEqual(keys);
});

test('a hidden page asks for nothing', async () => {
  follow();
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  await vi.advanceTimersByTimeAsync(20 * TURN_MS);
  expect(asked).not.toHaveBeenCalled();
});

test('nothing is asked for a visitor', async () => {
  show();
  await vi.advanceTimersByTimeAsync(2 * TURN_MS);
  expect(asked).not.toHaveBeenCalled();
});

test('nothing is asked any more once the app is left', async () => {
  const page = follow();
  page.unmount();
  await vi.advanceTimersByTimeAsync(2 * TURN_MS);
  expect(asked).not.toHaveBeenCalled();
});
