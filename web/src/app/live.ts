import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { roots } from '@/domain/keys';
import { notificationKeys } from '@/features/notifications/api/keys';
import { unreadCountQuery } from '@/features/notifications/api/queries';
import { planKeys } from '@/features/plan/api/keys';
import { walletKeys } from '@/features/wallet/api/keys';
import { liveStore } from '@/lib/live/state';
import type { LiveKind } from '@/lib/live/stream';
import { useSession } from '@/lib/session/use-session';

/** Polling interval without a stream. With a stream, only every tenth poll runs, as a safety net. */
const FALLBACK_MS = 30_000;
const FALLBACK_TURNS_WHILE_LIVE = 10;

/**
 * Data fetched this shortly before the stream opened is not refetched while the page is still being drawn, but after
 * `CATCH_UP_MS`.
 */
const FRESH_MS = 2_000;
const CATCH_UP_MS = 5_000;

/**
 * Keeps badge, wallet and plans up to date while the page is visible: by the event stream, at most one per tab, or by
 * polling without it. The ad centre's statistics have their own interval.
 */
export function Live() {
  const queryClient = useQueryClient();
  const { token } = useSession();
  useEffect(() => (token === null ? undefined : keepUpToDate(queryClient)), [token, queryClient]);
  return null;
}

function keepUpToDate(queryClient: QueryClient): () => void {
  let stopStream: (() => void) | null = null;
  let turns = 0;

  const follow = () => {
    const wanted = document.visibilityState === 'visible' && navigator.onLine;
    if (wanted && !stopStream) {
      stopStream = startStream(queryClient);
    } else if (!wanted && stopStream) {
      stopStream();
      stopStream = null;
    }
  };
  const turn = () => {
    turns += 1;
    if (document.visibilityState !== 'visible' || !navigator.onLine) return;
    if (liveStore.get() && turns % FALLBACK_TURNS_WHILE_LIVE !== 0) return;
    refreshAll(queryClient);
  };

  const timer = setInterval(turn, FALLBACK_MS);
  document.addEventListener('visibilitychange', follow);
  window.addEventListener('online', follow);
  window.addEventListener('offline', follow);
  follow();
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', follow);
    window.removeEventListener('online', follow);
    window.removeEventListener('offline', follow);
    stopStream?.();
  };
}

/** Opens the stream once its code has loaded. */
function startStream(queryClient: QueryClient): () => void {
  let stopped = false;
  let stop: (() => void) | null = null;
  let catchUp: ReturnType<typeof setTimeout> | undefined;
  import('@/lib/live/stream').then(
    ({ followStream }) => {
      if (stopped) return;
      stop = followStream({
        onConnected: (isConnected) => {
          if (!stopped) liveStore.set(isConnected);
        },
        onChange: (kind, isFirst) => {
          void refresh(queryClient, kind, isFirst ? FRESH_MS : 0);
          if (!isFirst) return;
          clearTimeout(catchUp);
          catchUp = setTimeout(() => refreshAll(queryClient), CATCH_UP_MS);
        },
        // The refetch reports the cause to the user.
        onRefused: () => void queryClient.invalidateQueries({ queryKey: roots.user }),
      });
    },
    // Without the code, polling does the work, as without a connection.
    () => undefined,
  );
  return () => {
    stopped = true;
    clearTimeout(catchUp);
    stop?.();
    liveStore.set(false);
  };
}

function refreshAll(queryClient: QueryClient): void {
  for (const kind of ['unread', 'wallet', 'plan'] as const) void refresh(queryClient, kind);
}

/** Refetches active queries of a kind that are older than `freshMs`. */
async function refresh(queryClient: QueryClient, kind: LiveKind, freshMs = 0): Promise<void> {
  const youngest = Date.now() - freshMs;
  const predicate = ({ state }: { state: { dataUpdatedAt: number } }) => state.dataUpdatedAt <= youngest;
  if (kind !== 'unread') {
    const queryKey = kind === 'wallet' ? walletKeys.all : planKeys.all;
    await queryClient.invalidateQueries({ queryKey, predicate });
    return;
  }
  // Refetches the lists only when the count has changed, so that a notification just read here stays in place.
  const { queryKey } = unreadCountQuery;
  const before = queryClient.getQueryData(queryKey)?.unread_total;
  await queryClient.invalidateQueries({ queryKey, predicate });
  const after = queryClient.getQueryData(queryKey)?.unread_total;
  if (before !== undefined && after !== before) {
    await queryClient.invalidateQueries({ queryKey: notificationKeys.lists });
  }
}
