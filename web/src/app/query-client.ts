import { MutationCache, onlineManager, QueryCache, QueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { changeLanguage, whenTranslated } from '@/i18n';
import { errorText } from '@/i18n/error-text';
import { ApiError, Code, hasReason, isNetworkError, STEP_UP_CANCELLED } from '@/lib/api/error';
import { endSession, sessionStore } from '@/lib/session/store';
import { toast } from '@/ui/toast';
import { showBlockingMessage } from './messages';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** The screen itself handles an account that is not activated. */
      opensAccount?: boolean;
    };
    mutationMeta: {
      /** The screen shows the failure itself, so there is no toast. */
      inline?: boolean;
    };
  }
}

const RETRIES = 2;

export function createQueryClient(): QueryClient {
  // It assumes that a visit starts online. If one does not, its first reconnection would go unnoticed.
  onlineManager.setOnline(navigator.onLine);
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        const opens =
          query.meta?.opensAccount && error instanceof ApiError && error.code === Code.notActivated;
        // The first requests of a visit may fail before there are texts for a message.
        if (!opens) whenTranslated(() => handleSessionCodes(error));
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => {
        if (handleSessionCodes(error) || mutation.meta?.inline || hasReason(error, STEP_UP_CANCELLED)) return;
        toast(errorText(error), 'fail');
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        gcTime: 10 * 60_000,
        // Only calls without an answer are retried; a refusal would stay one.
        networkMode: 'always',
        refetchOnReconnect: true,
        // The first page must not repeat the requests that were made before it was drawn.
        refetchOnMount: false,
        retry: (failures, error) => isNetworkError(error) && failures < RETRIES,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

/** After the first page, every mount refetches stale data. */
export function refetchOnMount(queryClient: QueryClient): void {
  const { queries, ...others } = queryClient.getDefaultOptions();
  queryClient.setDefaultOptions({ ...others, queries: { ...queries, refetchOnMount: true } });
}

/** Handles the codes that mean the same everywhere. Returns whether the error was one of them. */
function handleSessionCodes(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  switch (error.code) {
    case Code.notAuthenticated:
      // The guards then lead to the login, or from an entry page to opening an account.
      endSession();
      return true;
    case Code.sessionExpired:
      // A late answer after the session has ended is not news.
      if (sessionStore.get().token !== null) {
        showBlockingMessage({ kind: 'expired', text: i18next.t('error.session_expired') });
      }
      return true;
    case Code.notActivated:
    case Code.disabled:
    case Code.cancelled:
      // The message must appear even if the language cannot be loaded.
      void changeLanguage(error.lang)
        .catch(() => false)
        .then(() => showBlockingMessage({ kind: 'account', text: errorText(error) }));
      return true;
    default:
      return false;
  }
}
