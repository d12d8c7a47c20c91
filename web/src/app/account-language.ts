import type { QueryClient } from '@tanstack/react-query';
import { userInfoQuery } from '@/domain/user-info';
import { isLanguageCode } from '@/i18n/languages';
import { post } from '@/lib/api/call';
import { keptUser, sessionStore } from '@/lib/session/store';
import { readText, write } from '@/lib/storage';

/** The id of the user whose language choice has not reached the account yet. */
const UNTOLD_KEY = 'adfolio.lang_untold';

/** Saves the chosen language in the user's account, if there is one. A failure is silent and retried later. */
export async function tellAccount(queryClient: QueryClient): Promise<void> {
  const { token, lang } = sessionStore.get();
  if (!token || !isLanguageCode(lang)) return;
  write(UNTOLD_KEY, keptUser()?.id ?? null);
  try {
    queryClient.setQueryData(userInfoQuery.queryKey, await post('/user/info/edit', { lang }));
    write(UNTOLD_KEY, null);
  } catch {
    // `tellAccountLater` retries after the next login or reload.
  }
}

/** Saves a choice that did not reach the account before. */
export async function tellAccountLater(queryClient: QueryClient, userId: string): Promise<void> {
  if (readText(UNTOLD_KEY) === userId) await tellAccount(queryClient);
}
