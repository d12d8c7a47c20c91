import { sessionStore } from '@/lib/session/store';
import { timeZoneHeader } from '@/lib/time-zone';
import type { GetAnswer, GetPath, GetQuery, PostAnswer, PostBody, PostPath } from './contract';
import { withStepUp } from './step-up';
import { exchange, queryString, readEnvelope } from './transport';

type Options = {
  signal?: AbortSignal | undefined;
  /** Makes the call safe to repeat: the server answers the same key and body with its first answer. */
  idempotencyKey?: string | undefined;
  /** Replaces the stored token, as with the host token when opening an account. */
  token?: string | undefined;
};

const STEP_UP_PATH = '/user/step_up' satisfies PostPath;

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
  const attempt = () =>
    call<PostAnswer<P>>(`/api${path}`, { method: 'POST', body: JSON.stringify(body) }, options);
  // The confirmation itself cannot wait for one.
  return path === STEP_UP_PATH ? attempt() : withStepUp(attempt);
}

/** The text of a file that a call returns without an envelope. Refusals still come in an envelope. */
export async function getFile<P extends GetPath>(
  path: P,
  query?: GetQuery<P>,
  options?: Options,
): Promise<string> {
  const url = `/api${path}${queryString(query ?? {})}`;
  const { response, text } = await send(url, { method: 'GET' }, options);
  const isFile = response.ok && !response.headers.get('Content-Type')?.startsWith('application/json');
  return isFile ? text : readEnvelope<never>(response, text);
}

async function call<T>(url: string, init: RequestInit, options?: Options): Promise<T> {
  const { response, text } = await send(url, init, options);
  return readEnvelope<T>(response, text);
}

function send(url: string, init: RequestInit, options: Options = {}) {
  return exchange(url, { ...init, headers: headersOf(init, options) }, { signal: options.signal });
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
