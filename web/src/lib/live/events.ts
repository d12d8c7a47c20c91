import { createParser } from 'eventsource-parser';
import { ApiError } from '@/lib/api/error';
import { readEnvelope } from '@/lib/api/transport';

/** Where an event stream is, and who asks for it. */
export type EventSourceSpec = {
  url: string;
  /** Those of each connection, such as the token of the session. */
  headers: () => Headers;
  /** Whether a refusal is final. Anything else is tried again. */
  isFinal: (error: unknown) => boolean;
};

export type EventHandlers = {
  onEvent: (event: string, data: string) => void;
  onConnected: (isConnected: boolean) => void;
  /** A final refusal: the stream stays closed. */
  onRefused: (error: unknown) => void;
};

/** The initial reconnect delay, until the server sends its own. */
const RETRY_MS = 3_000;
const RETRY_LIMIT_MS = 60_000;

/** The server sends a sign of life every 15 s. A longer silence means that the stream is lost. */
const SILENCE_LIMIT_MS = 45_000;

/** After a connection this long, the backoff starts over. */
const STEADY_MS = 10_000;

/**
 * Follows an event stream until the returned function is called. Reconnects with exponential backoff and jitter, because
 * a restarting server drops all clients at once. `EventSource` cannot send a token.
 */
export function followEvents(source: EventSourceSpec, handlers: EventHandlers): () => void {
  const controller = new AbortController();
  void run(controller.signal, source, handlers);
  return () => controller.abort();
}

async function run(signal: AbortSignal, source: EventSourceSpec, handlers: EventHandlers): Promise<void> {
  let failures = 0;
  let retryMs = RETRY_MS;
  while (!signal.aborted) {
    const begun = Date.now();
    let askedToWaitMs = 0;
    try {
      await listen(signal, source, handlers, (value) => {
        retryMs = value;
      });
    } catch (error) {
      if (signal.aborted) return;
      if (source.isFinal(error)) {
        handlers.onRefused(error);
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
  source: EventSourceSpec,
  handlers: EventHandlers,
  onRetry: (milliseconds: number) => void,
): Promise<void> {
  const { signal, alive, release } = watchSilence(outer);
  try {
    const headers = source.headers();
    headers.set('Accept', 'text/event-stream');
    const response = await fetch(source.url, { headers, signal, credentials: 'omit', cache: 'no-store' });
    const isStream = response.ok && response.headers.get('Content-Type')?.startsWith('text/event-stream');
    if (!isStream || !response.body) {
      readEnvelope(response, await response.text());
      throw new Error('no event stream');
    }
    alive();
    handlers.onConnected(true);
    const parser = createParser({
      onRetry,
      onEvent: ({ event, data }) => {
        if (event !== undefined) handlers.onEvent(event, data);
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
