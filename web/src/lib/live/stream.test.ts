import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startSession } from '@/lib/session/store';
import { waitAfter } from './events';
import { followStream, type LiveHandlers } from './stream';

/** A server whose streams the test controls. */
class Streams {
  readonly opened: { signal: AbortSignal; headers: Headers; controller: ReadableStreamDefaultController }[] =
    [];
  answers: (() => Response)[] = [];

  readonly fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const answer = this.answers.shift();
    const signal = init?.signal as AbortSignal;
    const headers = init?.headers as Headers;
    let controller: ReadableStreamDefaultController | undefined;
    const body = new ReadableStream({
      start: (own) => {
        controller = own;
      },
    });
    if (!controller) throw new Error('no stream');
    this.opened.push({ signal, headers, controller });
    signal.addEventListener('abort', () => this.fail(controller));
    return answer?.() ?? new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
  };

  say(text: string) {
    this.opened.at(-1)?.controller.enqueue(new TextEncoder().encode(text));
  }

  end() {
    this.opened.at(-1)?.controller.close();
  }

  private fail(controller: ReadableStreamDefaultController | undefined) {
    try {
      controller?.error(new DOMException('aborted', 'AbortError'));
    } catch {
      // Over already.
    }
  }
}

const envelope = (code: number, retry_after: number | null = null) =>
  new Response(JSON.stringify({ code, msg: '', data: { reason: 'X', retry_after } }), {
    headers: { 'Content-Type': 'application/json' },
  });

let streams: Streams;
let stop: () => void;
let handlers: { [K in keyof LiveHandlers]: ReturnType<typeof vi.fn> };

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  streams = new Streams();
  vi.stubGlobal('fetch', streams.fetch);
  startSession('token-1', 'register');
  handlers = { onChange: vi.fn(), onConnected: vi.fn(), onRefused: vi.fn() };
});

afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function follow() {
  stop = followStream(handlers as unknown as LiveHandlers);
  await vi.advanceTimersByTimeAsync(0);
}

async function say(text: string) {
  streams.say(text);
  await vi.advanceTimersByTimeAsync(0);
}

const event = (kind: string) => `event: ${kind}\ndata: {"at":"2026-11-22T01:05:44.465Z"}\n\n`;

const changed = (kind: string) => ({ kind, id: null, total: null, sequence: 0 });

test('tells what an event says, and its kind alone if that cannot be read', async () => {
  await follow();
  await say('event: unread\ndata: {"at":"2026-11-22T01:05:44.465Z","total":3,"sequence":12}\n\n');
  await say('event: plan\ndata: {"id":"plan-1","sequence":4}\n\n');
  await say('event: wallet\ndata: {\n\n');
  expect(handlers.onChange.mock.calls.map(([given]) => given)).toEqual([
    { kind: 'unread', id: null, total: 3, sequence: 12 },
    { kind: 'plan', id: 'plan-1', total: null, sequence: 4 },
    changed('wallet'),
  ]);
});

test('sends the token and tells what changed, the first of each kind as such', async () => {
  await follow();
  expect(streams.opened[0]?.headers.get('X-CT')).toBe('token-1');
  expect(handlers.onConnected).toHaveBeenLastCalledWith(true);
  await say(`retry: 3000\n\n${event('unread')}${event('wallet')}`);
  await say(event('wallet'));
  await say(':\n\n');
  await say(event('something-new'));
  expect(handlers.onChange.mock.calls).toEqual([
    [changed('unread'), true],
    [changed('wallet'), true],
    [changed('wallet'), false],
  ]);
});

test('an event that comes in pieces is one', async () => {
  await follow();
  await say('event: pl');
  await say('an\ndata: {}\n');
  expect(handlers.onChange).not.toHaveBeenCalled();
  await say('\n');
  expect(handlers.onChange).toHaveBeenCalledExactlyOnceWith(changed('plan'), true);
});

test('a stream that ended is opened again after the time that the server asks for', async () => {
  await follow();
  await say('retry: 5000\n\n');
  await vi.advanceTimersByTimeAsync(20_000);
  streams.end();
  await vi.advanceTimersByTimeAsync(4_900);
  expect(handlers.onConnected).toHaveBeenLastCalledWith(false);
  expect(streams.opened).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(streams.opened).toHaveLength(2);
  expect(handlers.onConnected).toHaveBeenLastCalledWith(true);
});

test('each failure in a row makes the wait longer, within limits and by chance', async () => {
  expect(waitAfter(1, 3_000, 0.5)).toBe(3_000);
  expect(waitAfter(3, 3_000, 0.5)).toBe(12_000);
  expect(waitAfter(99, 3_000, 0.5)).toBe(60_000);
  expect(waitAfter(1, 3_000, 0)).toBe(1_500);
  expect(waitAfter(1, 3_000, 1)).toBe(4_500);
  streams.answers = Array.from({ length: 3 }, () => () => envelope(500));
  await follow();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(streams.opened).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(5_900);
  expect(streams.opened).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(200);
  expect(streams.opened).toHaveLength(3);
});

test('a limit of the server is kept', async () => {
  streams.answers = [() => envelope(429, 10)];
  await follow();
  await vi.advanceTimersByTimeAsync(9_900);
  expect(streams.opened).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(streams.opened).toHaveLength(2);
});

test.each([401, 402, 403, 404, 503])('after a refusal with %s nothing is tried again', async (code) => {
  streams.answers = [() => envelope(code)];
  await follow();
  await vi.advanceTimersByTimeAsync(300_000);
  expect(handlers.onRefused).toHaveBeenCalledOnce();
  expect(streams.opened).toHaveLength(1);
});

test('a stream that fell silent is given up, one with a beat is not', async () => {
  await follow();
  for (let beat = 0; beat < 6; beat += 1) {
    await vi.advanceTimersByTimeAsync(15_000);
    await say(':\n\n');
  }
  expect(streams.opened).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(45_000 + 3_100);
  expect(streams.opened).toHaveLength(2);
});

test('stopping closes the stream and opens no other', async () => {
  await follow();
  stop();
  await vi.advanceTimersByTimeAsync(300_000);
  expect(streams.opened).toHaveLength(1);
  expect(streams.opened[0]?.signal.aborted).toBe(true);
  expect(handlers.onConnected).toHaveBeenLastCalledWith(false);
});
