import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import { ApiError, hasReason, isNetworkError, STEP_UP_CANCELLED } from '@/lib/api/error';
import { signOf } from '@/lib/money';
import { formatsFor } from './format';

/**
 * The message of an error: the server's text if there is one. A rate limit includes the waiting time, and a balance
 * that is too low what is missing. Empty for a call that the user gave up, because that is no news to them.
 */
export function errorText(error: unknown): string {
  if (hasReason(error, STEP_UP_CANCELLED)) return '';
  if (isNetworkError(error)) return i18next.t('error.network');
  if (!(error instanceof ApiError) || !error.message) return i18next.t('error.system');
  const { message, missing, retryAfterSeconds: wait } = error;
  if (missing && signOf(missing) > 0) return withMissing(message, missing);
  return wait ? joined(message, waitText(wait)) : message;
}

/** A message that something costs too much, with the amount that is missing. */
export function withMissing(message: string, missing: string): string {
  const amount = formatsFor(i18next.language).money(missing);
  return joined(message, i18next.t('error.missing', { amount }));
}

/** Joins two sentences. Messages may lack a full stop, and Chinese and Japanese put no blank between sentences. */
function joined(first: string, second: string): string {
  const wide = /^(zh|cht|jp)$/.test(i18next.language);
  const ended = /\p{P}$/u.test(first) ? first : `${first}${wide ? '。' : '.'}`;
  return `${ended}${wide ? '' : ' '}${second}`;
}

/** `errorText` for components, which rerender when the language changes. */
export function useErrorText(): (error: unknown) => string {
  useTranslation();
  return errorText;
}

function waitText(seconds: number): string {
  if (seconds < 60) return i18next.t('error.wait_seconds', { count: seconds });
  if (seconds < 7200) return i18next.t('error.wait_minutes', { count: Math.ceil(seconds / 60) });
  return i18next.t('error.wait_hours', { count: Math.ceil(seconds / 3600) });
}
