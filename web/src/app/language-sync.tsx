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

/** Keeps the interface, the account and the server's texts in one language. */
export function LanguageSync() {
  useGuess();
  useAccountLanguage();
  useServerTexts();
  return null;
}

const USER_HASH = hashKey(userInfoQuery.queryKey);

/** The user from the cache or the browser's copy, without a request and without influence on the query. */
function useKnownUser<T>(select: (user: UserInfo | null) => T): T {
  const queryClient = useQueryClient();
  const subscribe = useCallback(
    (listener: () => void) =>
      queryClient.getQueryCache().subscribe(({ type, query }) => {
        // Other events can fire during a render.
        if ((type === 'updated' || type === 'removed') && query.queryHash === USER_HASH) listener();
      }),
    [queryClient],
  );
  return useSyncExternalStore(subscribe, () =>
    select(queryClient.getQueryData(userInfoQuery.queryKey) ?? keptUser()),
  );
}

/** Until the user chooses a language, follows the account's, else the browser's preference. */
function useGuess(): void {
  const { lang, langChosen } = useSession();
  const userLang = useKnownUser((user) => user?.lang);
  const map = useBasicConfig().data?.client_language_map;
  const guess = langChosen ? lang : guessedLanguage(userLang, map);
  useEffect(() => {
    // If the pack cannot be fetched, the current language stays.
    if (guess !== lang) changeLanguage(guess, { chosen: false }).catch(() => undefined);
  }, [guess, lang]);
}

/** Retries saving a choice that did not reach the account. */
function useAccountLanguage(): void {
  const queryClient = useQueryClient();
  const userId = useKnownUser((user) => user?.id);
  useEffect(() => {
    if (userId) void tellAccountLater(queryClient, userId);
  }, [userId, queryClient]);
}

/**
 * Refetches everything that holds server texts after a switch. Statistics have none, and the configuration has a key
 * per language.
 */
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
