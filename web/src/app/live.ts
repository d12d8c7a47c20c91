import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { roots } from '@/domain/keys';
import { notificationKeys } from '@/features/notifications/api/keys';
import { unreadCountQuery } from '@/features/notifications/api/queries';
import { laterCount } from '@/features/notifications/count';
import { isOfOtherPlan, planKeys } from '@/features/plan/api/keys';
import { walletKeys } from '@/features/wallet/api/keys';
import type { UnreadCount } from '@/lib/api/types';
import { liveStore } from '@/lib/live/state';
import type { LiveEvent, LiveKind } from '@/lib/live/stream';
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
  const missed = new Set<LiveKind>();
  import('@/lib/live/stream').then(
    ({ followStream }) => {
      if (stopped) return;
      stop = followStream({
        onConnected: (isConnected) => {
          if (!stopped) liveStore.set(isConnected);
        },
        onChange: (event, isFirst) => {
          // A count is as good as a fetch.
          if (event.kind === 'unread' && event.total !== null) {
            adoptCount(queryClient, { unread_total: event.total, sequence: event.sequence });
            return;
          }
          void refresh(queryClient, event, isFirst ? FRESH_MS : 0);
          if (!isFirst) return;
          missed.add(event.kind);
          clearTimeout(catchUp);
          catchUp = setTimeout(() => {
            for (const kind of missed) void refresh(queryClient, { kind, id: null });
            missed.clear();
          }, CATCH_UP_MS);
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
  for (const kind of ['unread', 'wallet', 'plan'] as const) void refresh(queryClient, { kind, id: null });
}

/** Shows a count that the stream gives, unless a later one is known. */
function adoptCount(queryClient: QueryClient, count: UnreadCount): void {
  const { queryKey } = unreadCountQuery;
  const known = queryClient.getQueryData(queryKey);
  const shown = laterCount(known, count);
  if (shown === known) return;
  queryClient.setQueryData(queryKey, shown);
  refreshLists(queryClient, known, shown);
}

type Change = Pick<LiveEvent, 'kind' | 'id'>;

/** Refetches active queries of a kind that are older than `freshMs`. Of a named plan, other plans' pages are left out. */
async function refresh(queryClient: QueryClient, { kind, id }: Change, freshMs = 0): Promise<void> {
  const youngest = Date.now() - freshMs;
  const predicate = ({ queryKey, state }: Pick<Query, 'queryKey' | 'state'>) =>
    state.dataUpdatedAt <= youngest && !(id !== null && isOfOtherPlan(queryKey, id));
  if (kind !== 'unread') {
    const queryKey = kind === 'wallet' ? walletKeys.all : planKeys.all;
    await queryClient.invalidateQueries({ queryKey, predicate });
    return;
  }
  const { queryKey } = unreadCountQuery;
  const before = queryClient.getQueryData(queryKey);
  await queryClient.invalidateQueries({ queryKey, predicate });
  refreshLists(queryClient, before, queryClient.getQueryData(queryKey));
}

/** Refetches the lists only when the count has changed, so that a notification just read here stays in place. */
function refreshLists(
  queryClient: QueryClient,
  before: UnreadCount | undefined,
  after: UnreadCount | undefined,
): void {
  if (before === undefined || after?.unread_total === before.unread_total) return;
  void queryClient.invalidateQueries({ queryKey: notificationKeys.lists });
}
