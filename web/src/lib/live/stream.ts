import { createParser } from 'eventsource-parser';
import { commonHeaders } from '@/lib/api/call';
import { ApiError, isSessionError } from '@/lib/api/error';
import { readEnvelope } from '@/lib/api/transport';

export type LiveKind = 'unread' | 'wallet' | 'plan';

/** What has changed. Of two events about one thing, the one with the larger `sequence` is later. */
export type LiveEvent = {
  kind: LiveKind;
  /** The plan that has changed. Null: any may have. */
  id: string | null;
  /** The number of unread notifications. Null: not known. */
  total: number | null;
  sequence: number;
};

export type LiveHandlers = {
  /**
   * `isFirst`: the first event of its kind on this connection, which only means that changes may have been missed
   * before.
   */
  onChange: (event: LiveEvent, isFirst: boolean) => void;
  onConnected: (isConnected: boolean) => void;
  /** The session or the account is gone, and the stream stays closed. */
  onRefused: () => void;
};

const KINDS: readonly string[] = ['unread', 'wallet', 'plan'] satisfies LiveKind[];

/** The initial reconnect delay, until the server sends its own. */
const RETRY_MS = 3_000;
const RETRY_LIMIT_MS = 60_000;

/** The server sends a sign of life every 15 s. A longer silence means that the stream is lost. */
const SILENCE_LIMIT_MS = 45_000;

/** After a connection this long, the backoff starts over. */
const STEADY_MS = 10_000;

/**
 * Follows the session's event stream until the returned function is called. Reconnects with exponential backoff and
 * jitter, because a restarting server drops all clients at once. `EventSource` cannot send the token.
 */
export function followStream(handlers: LiveHandlers): () => void {
  const controller = new AbortController();
  void run(controller.signal, handlers);
  return () => controller.abort();
}

async function run(signal: AbortSignal, handlers: LiveHandlers): Promise<void> {
  let failures = 0;
  let retryMs = RETRY_MS;
  while (!signal.aborted) {
    const begun = Date.now();
    let askedToWaitMs = 0;
    try {
      await listen(signal, handlers, (value) => {
        retryMs = value;
      });
    } catch (error) {
      if (signal.aborted) return;
      if (isSessionError(error)) {
        handlers.onRefused();
        return;
      }
      askedToWaitMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    } finally {
      handlers.onConnected(false);
    }
    failures = Date.now() - begun >= STEADY_MS ? 0 : failures + 1;
    await pause(Math.max(askedToWaitMs, waitAfter(failures, retryMs)), signal);
  }
}

/** One connection, from open to end. */
async function listen(
  outer: AbortSignal,
  handlers: LiveHandlers,
  onRetry: (milliseconds: number) => void,
): Promise<void> {
  const { signal, alive, release } = watchSilence(outer);
  try {
    const headers = commonHeaders();
    headers.set('Accept', 'text/event-stream');
    const response = await fetch('/api/stream', { headers, signal, credentials: 'omit', cache: 'no-store' });
    const isStream = response.ok && response.headers.get('Content-Type')?.startsWith('text/event-stream');
    if (!isStream || !response.body) {
      readEnvelope(response, await response.text());
      throw new Error('no event stream');
    }
    alive();
    handlers.onConnected(true);
    const told = new Set<string>();
    const parser = createParser({
      onRetry,
      onEvent: ({ event: kind, data }) => {
        if (kind === undefined || !KINDS.includes(kind)) return;
        handlers.onChange(readEvent(kind as LiveKind, data), !told.has(kind));
        told.add(kind);
      },
    });
    await read(response.body, (text) => {
      alive();
      parser.feed(text);
    });
  } finally {
    release();
  }
}

/** Without readable data, only the kind of change is known. */
function readEvent(kind: LiveKind, data: string): LiveEvent {
  let fields: Partial<Record<'id' | 'total' | 'sequence', unknown>> = {};
  try {
    fields = Object(JSON.parse(data));
  } catch {
    // The refetch of everything of this kind is the remedy.
  }
  const { id, total, sequence } = fields;
  return {
    kind,
    id: typeof id === 'string' ? id : null,
    total: typeof total === 'number' ? total : null,
    sequence: typeof sequence === 'number' ? sequence : 0,
  };
}

async function read(body: ReadableStream<Uint8Array>, onText: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onText(decoder.decode(value, { stream: true }));
    }
  } finally {
    // Also after a handler has thrown: the connection must not stay open unread.
    reader.cancel().catch(() => undefined);
  }
}

/** A signal that fires with the outer one or after too long a silence. */
function watchSilence(outer: AbortSignal): { signal: AbortSignal; alive: () => void; release: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let timer = setTimeout(abort, SILENCE_LIMIT_MS);
  outer.addEventListener('abort', abort);
  if (outer.aborted) abort();
  return {
    signal: controller.signal,
    alive: () => {
      clearTimeout(timer);
      timer = setTimeout(abort, SILENCE_LIMIT_MS);
    },
    release: () => {
      clearTimeout(timer);
      outer.removeEventListener('abort', abort);
      abort();
    },
  };
}

/** Exponential backoff with a cap and a jitter of ±50 %. */
export function waitAfter(failures: number, retryMs: number, chance: number = Math.random()): number {
  const doubled = retryMs * 2 ** Math.min(Math.max(0, failures - 1), 10);
  return Math.min(doubled, RETRY_LIMIT_MS) * (0.5 + chance);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
