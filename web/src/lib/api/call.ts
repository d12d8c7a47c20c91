import { sessionStore } from '@/lib/session/store';
import { timeZoneHeader } from '@/lib/time-zone';
import { ApiError, Code, type ErrorData, NETWORK } from './error';
import type { paths } from './schema';
import { withStepUp } from './step-up';

type Method = 'get' | 'post';
type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: { responses: unknown } } ? P : never;
}[keyof paths];
type Operation<P extends keyof paths, M extends Method> = M extends keyof paths[P] ? paths[P][M] : never;
/** The data of a success. All other answers are thrown as `ApiError`. */
type Answer<O> = O extends { responses: { 200: { content: { 'application/json': infer Envelope } } } }
  ? Extract<Envelope, { code: 200 }> extends { data: infer D }
    ? D
    : never
  : never;
type Body<O> = O extends { requestBody: { content: { 'application/json': infer B } } }
  ? B
  : Record<string, never>;
type Query<O> = O extends { parameters: { query?: infer Q } } ? NonNullable<Q> : Record<string, never>;

export type GetPath = PathWith<'get'>;
export type PostPath = PathWith<'post'>;
export type GetAnswer<P extends GetPath> = Answer<Operation<P, 'get'>>;
export type PostAnswer<P extends PostPath> = Answer<Operation<P, 'post'>>;
export type GetQuery<P extends GetPath> = Query<Operation<P, 'get'>>;
export type PostBody<P extends PostPath> = Body<Operation<P, 'post'>>;

type Options = {
  signal?: AbortSignal | undefined;
  /** Makes the call safe to repeat: the server answers the same key and body with its first answer. */
  idempotencyKey?: string | undefined;
  /** Replaces the stored token, as with the host token when opening an account. */
  token?: string | undefined;
};

const STEP_UP_PATH = '/user/step_up' satisfies PostPath;

/** How long a call may take before it counts as failed. */
const CALL_TIMEOUT_MS = 20_000;

export function get<P extends GetPath>(
  path: P,
  query?: GetQuery<P>,
  options?: Options,
): Promise<GetAnswer<P>> {
  return call(`/api${path}${queryString(query ?? {})}`, { method: 'GET' }, options);
}

export function post<P extends PostPath>(
  path: P,
  body: PostBody<P>,
  options?: Options,
): Promise<PostAnswer<P>> {
  const send = () =>
    call<PostAnswer<P>>(`/api${path}`, { method: 'POST', body: JSON.stringify(body) }, options);
  // The confirmation itself cannot wait for one.
  return path === STEP_UP_PATH ? send() : withStepUp(send);
}

/** The text of a file that a call returns without an envelope. Refusals still come in an envelope. */
export async function getFile<P extends GetPath>(
  path: P,
  query?: GetQuery<P>,
  options?: Options,
): Promise<string> {
  const url = `/api${path}${queryString(query ?? {})}`;
  const { response, text } = await exchange(url, { method: 'GET' }, options);
  const isFile = response.ok && !response.headers.get('Content-Type')?.startsWith('application/json');
  return isFile ? text : readEnvelope<never>(response, text);
}

async function call<T>(url: string, init: RequestInit, options?: Options): Promise<T> {
  const { response, text } = await exchange(url, init, options);
  return readEnvelope<T>(response, text);
}

type Exchanged = { response: Response; text: string };

async function exchange(url: string, init: RequestInit, options: Options = {}): Promise<Exchanged> {
  const { signal, release } = limitedSignal(options.signal);
  try {
    const headers = headersOf(init, options);
    const response = await fetch(url, { ...init, headers, signal, credentials: 'omit' });
    return { response, text: await response.text() };
  } catch (cause) {
    // The caller cancelled, so this is not a network failure.
    if (options.signal?.aborted) throw cause;
    throw new ApiError(0, '', { reason: NETWORK });
  } finally {
    release();
  }
}

/**
 * A signal that fires with the caller's or after the timeout. `AbortSignal.any` is too new for the supported browsers.
 */
function limitedSignal(own: AbortSignal | undefined): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, CALL_TIMEOUT_MS);
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

/** Token, time zone and language, for every call, also those that do not use `fetch`. */
export function commonHeaders(otherToken?: string): Headers {
  const headers = new Headers({ Accept: 'application/json', 'X-TZ': timeZoneHeader() });
  const { token, lang } = sessionStore.get();
  const sent = otherToken ?? token;
  if (sent) headers.set('X-CT', sent);
  headers.set('X-Lang', lang);
  return headers;
}

function headersOf(init: RequestInit, options: Options): Headers {
  const headers = commonHeaders(options.token);
  if (init.body) headers.set('Content-Type', 'application/json');
  if (options.idempotencyKey) headers.set('Idempotency-Key', options.idempotencyKey);
  return headers;
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

function queryString(query: object): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
