import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { endStaffSession, staffSession, startStaffSession } from '../session/store';
import { refresh } from './live-updates';
import { followStaffStream, readKinds } from './stream';

const text = (value: string) => new TextEncoder().encode(value);
const isStream = { headers: { 'Content-Type': 'text/event-stream' } };

/** The server's end of each connection. */
let opened: ReadableStreamDefaultController<Uint8Array>[];
let asked: Headers[];
let stop: () => void;
const onChanged = vi.fn();
const onConnected = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  opened = [];
  asked = [];
  onChanged.mockClear();
  onConnected.mockClear();
  startStaffSession('token-1', {
    id: 'staff-1',
    username: 'ada',
    role: 'admin',
    state: 'active',
    has_second_factor: false,
    has_totp: false,
    passkeys: 0,
    must_change_password: false,
    made_by: null,
    confirmed_by: null,
  });
});

afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  endStaffSession(null);
});

async function follow(answer?: () => Response) {
  vi.stubGlobal('fetch', async (_url: unknown, init?: RequestInit) => {
    asked.push(init?.headers as Headers);
    const body = new ReadableStream<Uint8Array>({ start: (end) => void opened.push(end) });
    return answer?.() ?? new Response(body, isStream);
  });
  stop = followStaffStream({ onChanged, onConnected });
  await vi.advanceTimersByTimeAsync(0);
}

async function say(value: string) {
  opened.at(-1)?.enqueue(text(value));
  await vi.advanceTimersByTimeAsync(0);
}

test('sends the token, and tells the kinds of each event that it knows', async () => {
  await follow();
  expect(asked[0]?.get('X-CT')).toBe('token-1');
  expect(onConnected).toHaveBeenLastCalledWith(true);
  await say('retry: 3000\n\nevent: changed\ndata: {"kinds":["withdrawals","something_new",');
  expect(onChanged).not.toHaveBeenCalled();
  await say('"plans"]}\n\n:\n\nevent: other\ndata: {"kinds":["plans"]}\n\n');
  expect(onChanged.mock.calls).toEqual([[['withdrawals', 'plans']]]);
});

test('what cannot be read names no kind', () => {
  for (const data of ['', '{', 'null', '7', '{"kinds":"plans"}', '{"kinds":[null,["plans"],"toString"]}'])
    expect(readKinds(data)).toEqual([]);
});

test('a lost stream is opened again, later after each failure and at least every 90 s', async () => {
  await follow(() => new Response('', { status: 502 }));
  await vi.advanceTimersByTimeAsync(3_100);
  expect(asked).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(asked).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(30 * 60_000);
  const before = asked.length;
  await vi.advanceTimersByTimeAsync(90_000);
  expect(asked.length).toBeGreaterThan(before);
});

test('a session that has ended ends here, and its stream is not opened again', async () => {
  const body = JSON.stringify({ code: 503, msg: '', data: { reason: 'SESSION_EXPIRED' } });
  await follow(() => new Response(body));
  expect(staffSession.get()).toMatchObject({ token: null, endedBy: 'expired' });
  await vi.advanceTimersByTimeAsync(300_000);
  expect(asked).toHaveLength(1);
});

test('an event makes stale what it is about, but no list that was scrolled far', () => {
  stop = () => undefined;
  const client = new QueryClient();
  const near = ['console', '/admin/withdraw/list', { status: 'pending' }];
  const far = ['console', '/admin/withdraw/list', { status: 'paid' }];
  const other = ['console', '/admin/feedback/list', {}];
  client.setQueryData(near, { pages: [1, 2, 3], pageParams: [] });
  client.setQueryData(far, { pages: [1, 2, 3, 4], pageParams: [] });
  client.setQueryData(other, { pages: [1], pageParams: [] });
  refresh(client, ['withdrawals']);
  const isStale = (key: readonly unknown[]) => client.getQueryState(key)?.isInvalidated;
  expect([near, far, other].map(isStale)).toEqual([true, false, false]);
});
