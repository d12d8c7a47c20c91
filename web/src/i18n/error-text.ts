import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import { ApiError, isNetworkError } from '@/lib/api/error';

/** The text of a failure: the server's own in the caller's language where there is one; a limit says how long it lasts. */
export function errorText(error: unknown): string {
  if (isNetworkError(error)) return i18next.t('error.network');
  if (!(error instanceof ApiError) || !error.message) return i18next.t('error.system');
  const wait = error.retryAfterSeconds;
  return wait ? joined(error.message, waitText(wait)) : error.message;
}

/** Two sentences. Messages may come without a full stop, and Chinese and Japanese set none of our blanks between sentences. */
function joined(first: string, second: string): string {
  const wide = /^(zh|cht|jp)$/.test(i18next.language);
  const ended = /\p{P}$/u.test(first) ? first : `${first}${wide ? '。' : '.'}`;
  return `${ended}${wide ? '' : ' '}${second}`;
}

/** The same for a component, which then follows a change of the language. */
export function useErrorText(): (error: unknown) => string {
  useTranslation();
  return errorText;
}

function waitText(seconds: number): string {
  if (seconds < 60) return i18next.t('error.wait_seconds', { count: seconds });
  if (seconds < 7200) return i18next.t('error.wait_minutes', { count: Math.ceil(seconds / 60) });
  return i18next.t('error.wait_hours', { count: Math.ceil(seconds / 3600) });
}
