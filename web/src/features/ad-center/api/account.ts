import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { roots } from '@/domain/keys';
import { get, post } from '@/lib/api/call';
import { adCenterKeys } from './keys';

/** The operators that the user has followed, newest first. */
export const followsQuery = infiniteQueryOptions({
  queryKey: adCenterKeys.follows,
  queryFn: ({ pageParam, signal }) =>
    get('/assistance/list', pageParam ? { cursor: pageParam } : {}, { signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor ?? null,
});

export function useFollow() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (operatorId: string) => post('/assistance/follow', { operator_id: operatorId }),
    meta: { inline: true },
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: roots.assistance }),
        queryClient.invalidateQueries({ queryKey: roots.user }),
        queryClient.invalidateQueries({ queryKey: roots.plans }),
      ]),
  });
}
