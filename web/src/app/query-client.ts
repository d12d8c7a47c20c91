import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { changeLanguage, whenTranslated } from '@/i18n';
import { errorText } from '@/i18n/error-text';
import { ApiError, Code, isNetworkError } from '@/lib/api/error';
import { endSession, sessionStore } from '@/lib/session/store';
import { toast } from '@/ui/toast';
import { showBlockingMessage } from './messages';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** The screen itself leads an account that is not open yet to the opening. */
      opensAccount?: boolean;
    };
    mutationMeta: {
      /** The screen shows the failure itself, beside what caused it. */
      inline?: boolean;
    };
  }
}

const RETRIES = 2;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        const opens =
          query.meta?.opensAccount && error instanceof ApiError && error.code === Code.notActivated;
        // What a visit begins with is asked for before there are texts to tell of a refusal.
        if (!opens) whenTranslated(() => handleSessionCodes(error));
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => {
        if (!handleSessionCodes(error) && !mutation.meta?.inline) toast(errorText(error), 'fail');
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        gcTime: 10 * 60_000,
        // A refusal stays a refusal; only a call that got no answer is asked again.
        networkMode: 'always',
        refetchOnReconnect: true,
        // What was asked for before the first page was drawn is not asked for once more by the page.
        refetchOnMount: false,
        retry: (failures, error) => isNetworkError(error) && failures < RETRIES,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

/** From the first page on, whatever is opened asks for the present state of what it shows. */
export function refetchOnMount(queryClient: QueryClient): void {
  const { queries, ...others } = queryClient.getDefaultOptions();
  queryClient.setDefaultOptions({ ...others, queries: { ...queries, refetchOnMount: true } });
}

/** The codes that mean the same everywhere. Answers whether the error was one of them. */
function handleSessionCodes(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  switch (error.code) {
    case Code.notAuthenticated:
      // The guards watch the session and lead on: to the login, or on an entry page to the open-account screen.
      endSession();
      return true;
    case Code.sessionExpired:
      // An answer that was on its way when the session ended says nothing new.
      if (sessionStore.get().token !== null) {
        showBlockingMessage({ kind: 'expired', text: i18next.t('error.session_expired') });
      }
      return true;
    case Code.notActivated:
    case Code.disabled:
    case Code.cancelled:
      // A language that cannot be loaded must not keep the message back.
      void changeLanguage(error.lang)
        .catch(() => false)
        .then(() => showBlockingMessage({ kind: 'account', text: errorText(error) }));
      return true;
    default:
      return false;
  }
}
