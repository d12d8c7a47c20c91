import { post } from '@/lib/api/call';
import type { PostBody } from '@/lib/api/contract';
import type { Session } from '@/lib/api/types';
import { deviceToken } from '@/lib/session/store';

export const login = (body: PostBody<'/auth/v2/login'>) =>
  post('/auth/v2/login', { ...body, device_token: deviceToken() });

/** `key` makes a repeated tap or a retry after a lost answer count as one registration. */
export const register = (body: PostBody<'/auth/v2/register'>, key: string) =>
  post('/auth/v2/register', body, { idempotencyKey: key });

const entering = new Map<string, Promise<Session>>();

/**
 * Opens a session with a host's assertion. It can be used once, so simultaneous calls share one answer. Without the
 * stored token, which may be another user's.
 */
export function enterFromHost(assertion: string): Promise<Session> {
  const running = entering.get(assertion);
  if (running) return running;
  const call = post('/auth/v2/host', { assertion }, { token: '' }).finally(() => entering.delete(assertion));
  entering.set(assertion, call);
  return call;
}

/** By the link of a mail, so without a session. Repeating it is fine. */
export const stopPayouts = (token: string) => post('/user/freeze/mail', { token }, { token: '' });

export const logout = () => post('/auth/logout', {});

export const openStore = (code: string, token: string | undefined, key: string) =>
  post('/opening_store', { code }, { token, idempotencyKey: key });
