import { type PostBody, post } from '@/lib/api/call';

export const login = (body: PostBody<'/auth/v2/login'>) => post('/auth/v2/login', body);

/** `key` makes a repeated tap or a retry after a lost answer count as one registration. */
export const register = (body: PostBody<'/auth/v2/register'>, key: string) =>
  post('/auth/v2/register', body, { idempotencyKey: key });

export const logout = () => post('/auth/logout', {});

export const openStore = (code: string, token: string | undefined, key: string) =>
  post('/opening_store', { code }, { token, idempotencyKey: key });
