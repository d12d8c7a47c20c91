import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { get, type PostBody, post } from '@/lib/api/call';
import { roots } from '@/lib/query-roots';

const keys = {
  all: [roots.security] as const,
  sessions: [roots.security, 'sessions'] as const,
  log: [roots.security, 'log'] as const,
};

export const sessionsQuery = queryOptions({
  queryKey: keys.sessions,
  queryFn: ({ signal }) => get('/user/sessions', undefined, { signal }),
  staleTime: 0,
});

export const securityLogQuery = infiniteQueryOptions({
  queryKey: keys.log,
  queryFn: ({ pageParam, signal }) =>
    get('/user/security/log', pageParam ? { cursor: pageParam } : {}, { signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor ?? null,
  staleTime: 0,
});

/** Whatever became of it, what is shown is asked for again: a session may have ended by itself meanwhile. */
export function useEndSessions() {
  const queryClient = useQueryClient();
  // A second tap may come before React has drawn the button as busy.
  const running = useRef(false);
  const mutation = useMutation({
    mutationFn: (body: PostBody<'/user/sessions/end'>) => post('/user/sessions/end', body),
    onSettled: () => {
      running.current = false;
      return queryClient.invalidateQueries({ queryKey: keys.all });
    },
  });
  const end: typeof mutation.mutate = (body, options) => {
    if (running.current) return;
    running.current = true;
    mutation.mutate(body, options);
  };
  return { end, isPending: mutation.isPending };
}
