import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { roots } from '@/domain/keys';
import { userInfoQuery } from '@/domain/user-info';
import { get, type PostBody, post } from '@/lib/api/call';
import { adCenterKeys } from './keys';

/** The number of pushed plans that wait for the user's amount. */
export const waitingCountQuery = queryOptions({
  queryKey: adCenterKeys.waitingCount,
  queryFn: ({ signal }) => post('/plan/order/await/put/count', {}, { signal }),
});

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

export function useEditProfile() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (change: PostBody<'/user/info/edit'>) => post('/user/info/edit', change),
    meta: { inline: true },
    onSuccess: (user) => queryClient.setQueryData(userInfoQuery.queryKey, user),
  });
}
