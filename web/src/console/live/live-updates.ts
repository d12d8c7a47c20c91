import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type LiveKind, staleKeys } from './kinds';
import { isLive } from './state';
import { followStaffStream } from './stream';

/** A list of which more pages than this were loaded is read anew by hand only. */
export const LIVE_PAGES = 3;

/** Reads anew what others change, as the server tells of it: one stream, while the tab is visible and online. */
export function useLiveUpdates(isWanted: boolean): void {
  const queryClient = useQueryClient();
  useEffect(() => (isWanted ? keepUpToDate(queryClient) : undefined), [queryClient, isWanted]);
}

function keepUpToDate(queryClient: QueryClient): () => void {
  let stop: (() => void) | null = null;
  const close = () => {
    stop?.();
    stop = null;
    isLive.set(false);
  };
  const follow = () => {
    const isOpenable = document.visibilityState === 'visible' && navigator.onLine;
    if (!isOpenable) close();
    else
      stop ??= followOne({
        onChanged: (kinds) => refresh(queryClient, kinds),
        onConnected: (connected) => isLive.set(connected),
      });
  };
  document.addEventListener('visibilitychange', follow);
  window.addEventListener('online', follow);
  window.addEventListener('offline', follow);
  follow();
  return () => {
    document.removeEventListener('visibilitychange', follow);
    window.removeEventListener('online', follow);
    window.removeEventListener('offline', follow);
    close();
  };
}

/** As `followStaffStream`, and once closed it says nothing more: the next stream may be open by then. */
function followOne({ onChanged, onConnected }: Parameters<typeof followStaffStream>[0]): () => void {
  let isClosed = false;
  const stop = followStaffStream({
    onChanged: (kinds) => {
      if (!isClosed) onChanged(kinds);
    },
    onConnected: (connected) => {
      if (!isClosed) onConnected(connected);
    },
  });
  return () => {
    isClosed = true;
    stop();
  };
}

/** Reads anew what is shown of these kinds; what is not shown is read when it is. */
export function refresh(queryClient: QueryClient, kinds: readonly LiveKind[]): void {
  for (const queryKey of staleKeys(kinds))
    void queryClient.invalidateQueries({ queryKey, predicate: (query) => !isScrolledFar(query) });
}

/** Reading it anew would ask for each of its pages again. */
function isScrolledFar({ state }: Pick<Query, 'state'>): boolean {
  const pages: unknown = Object(state.data).pages;
  return Array.isArray(pages) && pages.length > LIVE_PAGES;
}
