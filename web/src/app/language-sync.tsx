import { hashKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { useBasicConfig } from '@/domain/basic-config';
import { roots } from '@/domain/keys';
import { userInfoQuery } from '@/domain/user-info';
import { changeLanguage } from '@/i18n';
import { guessedLanguage } from '@/i18n/texts';
import type { UserInfo } from '@/lib/api/types';
import { keptUser } from '@/lib/session/store';
import { useSession } from '@/lib/session/use-session';
import { tellAccountLater } from './account-language';

/** Keeps the interface, the user's account and the texts of the server in one language. */
export function LanguageSync() {
  useGuess();
  useAccountLanguage();
  useServerTexts();
  return null;
}

const USER_HASH = hashKey(userInfoQuery.queryKey);

/** What is known of the user, without asking for it or having a say in how it is asked for. */
function useKnownUser<T>(select: (user: UserInfo | null) => T): T {
  const queryClient = useQueryClient();
  const subscribe = useCallback(
    (listener: () => void) =>
      queryClient.getQueryCache().subscribe(({ type, query }) => {
        // Others come while something renders.
        if ((type === 'updated' || type === 'removed') && query.queryHash === USER_HASH) listener();
      }),
    [queryClient],
  );
  return useSyncExternalStore(subscribe, () =>
    select(queryClient.getQueryData(userInfoQuery.queryKey) ?? keptUser()),
  );
}

/** As long as nobody has chosen: the language of the user's account, else the one that the browser prefers. */
function useGuess(): void {
  const { lang, langChosen } = useSession();
  const userLang = useKnownUser((user) => user?.lang);
  const map = useBasicConfig().data?.client_language_map;
  const guess = langChosen ? lang : guessedLanguage(userLang, map);
  useEffect(() => {
    // A pack that cannot be fetched leaves the language that is shown.
    if (guess !== lang) changeLanguage(guess, { chosen: false }).catch(() => undefined);
  }, [guess, lang]);
}

/** Tells the account of a choice that it could not be told of before. */
function useAccountLanguage(): void {
  const queryClient = useQueryClient();
  const userId = useKnownUser((user) => user?.id);
  useEffect(() => {
    if (userId) void tellAccountLater(queryClient, userId);
  }, [userId, queryClient]);
}

/** After a switch the texts of the server are asked for again; figures have none. */
function useServerTexts(): void {
  const queryClient = useQueryClient();
  const { lang } = useSession();
  const shown = useRef(lang);
  useEffect(() => {
    if (shown.current === lang) return;
    shown.current = lang;
    const textless: readonly unknown[] = [...roots.statistics, ...roots.basicConfig];
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => !textless.includes(queryKey[0]) });
  }, [lang, queryClient]);
}
