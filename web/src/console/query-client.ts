import { QueryClient } from '@tanstack/react-query';
import { ApiError, isNetworkError } from '@/lib/api/error';

/** A failed read is tried again twice, unless the server has refused it. */
const RETRIES = 2;
/** Another member may change anything at any time, so what is older is asked for again when it is shown. */
const STALE_MS = 5_000;

export function createConsoleQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        retry: (failures, error) => failures < RETRIES && isTransient(error),
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  });
}

function isTransient(error: unknown): boolean {
  return isNetworkError(error) || (error instanceof ApiError && !error.refused);
}
