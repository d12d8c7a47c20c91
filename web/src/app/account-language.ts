import type { QueryClient } from '@tanstack/react-query';
import { userInfoQuery } from '@/domain/user-info';
import { isLanguageCode } from '@/i18n/languages';
import { post } from '@/lib/api/call';
import { keptUser, sessionStore } from '@/lib/session/store';
import { readText, write } from '@/lib/storage';

/** Holds the id of a user whose account could not be told yet which language he has chosen. */
const UNTOLD_KEY = 'adfolio.lang_untold';

/** Tells the account of the user, if there is one, which language was chosen. A failure is kept for later, not said. */
export async function tellAccount(queryClient: QueryClient): Promise<void> {
  const { token, lang } = sessionStore.get();
  if (!token || !isLanguageCode(lang)) return;
  write(UNTOLD_KEY, keptUser()?.id ?? null);
  try {
    queryClient.setQueryData(userInfoQuery.queryKey, await post('/user/info/edit', { lang }));
    write(UNTOLD_KEY, null);
  } catch {
    // Told after the next login or reload, see `tellAccountLater`.
  }
}

/** What a user's account could not be told before. */
export async function tellAccountLater(queryClient: QueryClient, userId: string): Promise<void> {
  if (readText(UNTOLD_KEY) === userId) await tellAccount(queryClient);
}
