import type { GetAnswer, GetPath, GetQuery, PostAnswer, PostBody, PostPath } from '@/lib/api/contract';
import { Code, isSessionError } from '@/lib/api/error';
import { exchange, queryString, readEnvelope } from '@/lib/api/transport';
import { timeZoneHeader } from '@/lib/time-zone';
import { demandSecondFactor, endStaffSession, staffSession } from '../session/store';
import { isWithoutFactor, withSecondFactor } from './second-factor';

export type StaffGetPath = Extract<GetPath, `/admin/${string}`>;
export type StaffPostPath = Extract<PostPath, `/admin/${string}`>;

type Options = {
  signal?: AbortSignal | undefined;
  /** Makes the call safe to repeat: the server answers the same key and body with its first answer. */
  idempotencyKey?: string | undefined;
  /** Sends the call even if the page goes before its answer. */
  keepalive?: boolean | undefined;
};

/** The calls that show the second factor, or come before it: they cannot wait for it. */
const BEFORE_SECOND_FACTOR: readonly StaffPostPath[] = [
  '/admin/login',
  '/admin/logout',
  '/admin/second_factor/enroll',
  '/admin/second_factor/confirm',
  '/admin/passkey/login_options',
  '/admin/passkey/login',
  '/admin/passkey/confirmation',
  '/admin/passkey/confirm',
];

/** An import reads a file of up to 64 MB before it answers. */
const IMPORT_TIMEOUT_MS = 300_000;

/** A payment file has up to 500 withdrawals, a statement a month. */
const FILE_TIMEOUT_MS = 60_000;

export function staffGet<P extends StaffGetPath>(
  path: P,
  query?: GetQuery<P>,
  options: Options = {},
): Promise<GetAnswer<P>> {
  return call(`/api${path}${queryString(query ?? {})}`, { method: 'GET' }, options);
}

/** A call that anybody may make, such as the list of checkpoints. */
export function publicGet<P extends Exclude<GetPath, StaffGetPath>>(
  path: P,
  query?: GetQuery<P>,
  options: Options = {},
): Promise<GetAnswer<P>> {
  return call(`/api${path}${queryString(query ?? {})}`, { method: 'GET' }, options);
}

export function staffPost<P extends StaffPostPath>(
  path: P,
  body: PostBody<P>,
  options: Options = {},
): Promise<PostAnswer<P>> {
  const send = () =>
    call<PostAnswer<P>>(`/api${path}`, { method: 'POST', body: JSON.stringify(body) }, options);
  return BEFORE_SECOND_FACTOR.includes(path) ? send() : withSecondFactor(send);
}

/** Sends a form with a file, as an import of delivery reports is. */
export function staffUpload<P extends StaffPostPath>(
  path: P,
  form: FormData,
  options: Options = {},
): Promise<PostAnswer<P>> {
  return withSecondFactor(() =>
    call<PostAnswer<P>>(`/api${path}`, { method: 'POST', body: form }, options, IMPORT_TIMEOUT_MS),
  );
}

/** The calls that answer a file instead of an envelope. */
export type StaffFilePath = Extract<
  StaffGetPath,
  '/admin/payment_batch/pain001' | '/admin/payment_batch/csv' | '/admin/user/statement'
>;

/** Reads a file; a refusal is an envelope as elsewhere. */
export function staffFile<P extends StaffFilePath>(path: P, query: GetQuery<P>): Promise<string> {
  return withSecondFactor(() =>
    call(`/api${path}${queryString(query)}`, { method: 'GET' }, {}, FILE_TIMEOUT_MS, fileOf),
  );
}

function fileOf(response: Response, text: string): string {
  const isEnvelope = response.headers.get('Content-Type')?.startsWith('application/json') ?? true;
  return response.ok && !isEnvelope ? text : readEnvelope<string>(response, text);
}

async function call<T>(
  url: string,
  init: RequestInit,
  { signal, idempotencyKey, keepalive = false }: Options,
  timeoutMs?: number,
  read: (response: Response, text: string) => T = readEnvelope<T>,
): Promise<T> {
  const { token } = staffSession.get();
  const headers = staffHeaders();
  // The browser writes a form's type itself, with its boundary.
  if (typeof init.body === 'string') headers.set('Content-Type', 'application/json');
  if (idempotencyKey) headers.set('Idempotency-Key', idempotencyKey);
  const { response, text } = await exchange(url, { ...init, headers, keepalive }, { signal, timeoutMs });
  try {
    return read(response, text);
  } catch (error) {
    noteRefusal(error, token);
    throw error;
  }
}

/** What every request of staff has, with the token of this tab's session. */
export function staffHeaders(): Headers {
  const { token } = staffSession.get();
  const headers = new Headers({ Accept: 'application/json', 'X-TZ': timeZoneHeader(), 'X-Lang': 'en' });
  if (token) headers.set('X-CT', token);
  return headers;
}

/** Notes what a refusal says of the session that asked, which may not be the one that has begun since. */
export function noteRefusal(error: unknown, token: string | null): void {
  if (token === null || staffSession.get().token !== token) return;
  if (hasEnded(error)) endStaffSession('expired');
  else if (isWithoutFactor(error)) demandSecondFactor();
}

/** Whether the session is over. A 402 to 404 with a session is about the object of the call, since staff have no accounts of that kind. */
export function hasEnded(error: unknown): boolean {
  const ends: readonly number[] = [Code.notAuthenticated, Code.sessionExpired];
  return isSessionError(error) && ends.includes((error as { code: number }).code);
}
