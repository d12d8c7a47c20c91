import { post } from '@/lib/api/call';

/** Checks a transaction password (as MD5, see `md5Hex`) with the server; throws if it is wrong. */
export async function checkPayPassword(password: string): Promise<void> {
  await post('/check/password', { password });
}
