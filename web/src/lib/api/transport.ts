import { ApiError, Code, type ErrorData, NETWORK } from './error';

/** How long a call may take before it counts as failed. */
const CALL_TIMEOUT_MS = 20_000;

type Limits = { signal?: AbortSignal | undefined; timeoutMs?: number | undefined };
type Exchanged = { response: Response; text: string };

/** Sends a call without cookies and reads the whole answer. A call without an answer is an `ApiError`. */
export async function exchange(
  url: string,
  init: RequestInit,
  { signal: own, timeoutMs = CALL_TIMEOUT_MS }: Limits = {},
): Promise<Exchanged> {
  const { signal, release } = limitedSignal(own, timeoutMs);
  try {
    const response = await fetch(url, { ...init, signal, credentials: 'omit' });
    return { response, text: await response.text() };
  } catch (cause) {
    // The caller cancelled, so this is not a network failure.
    if (own?.aborted) throw cause;
    throw new ApiError(0, '', { reason: NETWORK });
  } finally {
    release();
  }
}

/**
 * A signal that fires with the caller's or after the timeout. `AbortSignal.any` is too new for the supported browsers.
 */
function limitedSignal(
  own: AbortSignal | undefined,
  timeoutMs: number,
): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, timeoutMs);
  if (own?.aborted) abort();
  own?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      own?.removeEventListener('abort', abort);
    },
  };
}

type Envelope = { code: number; msg?: string | null; data?: unknown };

/** Returns the data of a success and throws an `ApiError` for anything else. */
export function readEnvelope<T>(response: Pick<Response, 'status' | 'statusText'>, text: string): T {
  const ok = response.status >= 200 && response.status < 300;
  const envelope = parseEnvelope(text);
  if (ok && envelope?.code === Code.ok) return envelope.data as T;
  if (!envelope) throw new ApiError(Code.server, ok ? '' : response.statusText, {}, response.status);
  // A 404 or 405 from the edge is a missing path, not a cancelled account. Only business answers carry those codes.
  const code = ok || response.status === Code.tooMany ? envelope.code : Code.server;
  throw new ApiError(code, envelope.msg ?? '', (envelope.data ?? {}) as ErrorData, response.status);
}

function parseEnvelope(text: string): Envelope | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'code' in value ? (value as Envelope) : null;
  } catch {
    return null;
  }
}

/** The query of a call, with its question mark. Leaves out what has no value. */
export function queryString(query: object): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
