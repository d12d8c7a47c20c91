import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { get, post } from '@/lib/api/call';
import type { PostBody } from '@/lib/api/contract';
import { securityKeys } from './keys';

export const sessionsQuery = queryOptions({
  queryKey: securityKeys.sessions,
  queryFn: ({ signal }) => get('/user/sessions', undefined, { signal }),
  staleTime: 0,
});

export const securityLogQuery = infiniteQueryOptions({
  queryKey: securityKeys.log,
  queryFn: ({ pageParam, signal }) =>
    get('/user/security/log', pageParam ? { cursor: pageParam } : {}, { signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor ?? null,
  staleTime: 0,
});

type Told = {
  /** Runs when sessions have ended, even if the page is gone by then. */
  onEnded: () => void;
  onSettled?: () => void;
};

/** Refetches in any case, because a session may have ended by itself meanwhile. */
export function useEndSessions({ onEnded, onSettled }: Told) {
  const queryClient = useQueryClient();
  // A second tap may arrive before React disables the button.
  const running = useRef(false);
  const mutation = useMutation({
    mutationFn: (body: PostBody<'/user/sessions/end'>) => post('/user/sessions/end', body),
    // Not passed to `mutate`: its callbacks die with the button, which leaves when there is nothing more to end.
    onSuccess: onEnded,
    onSettled: () => {
      running.current = false;
      onSettled?.();
      return queryClient.invalidateQueries({ queryKey: securityKeys.all });
    },
  });
  const end = (body: PostBody<'/user/sessions/end'>) => {
    if (running.current) return;
    running.current = true;
    mutation.mutate(body);
  };
  return { end, isPending: mutation.isPending };
}
