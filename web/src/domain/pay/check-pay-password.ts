import { post } from '@/lib/api/call';

/** Asks the server whether a transaction password (MD5, see `md5Hex`) is right; throws when it is not. */
export async function checkPayPassword(password: string): Promise<void> {
  await post('/check/password', { password });
}
