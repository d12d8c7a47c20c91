import { useMutation, useQueryClient } from '@tanstack/react-query';
import { userInfoQuery } from '@/domain/user-info';
import { post } from '@/lib/api/call';
import type { PostBody } from '@/lib/api/contract';

export function useEditProfile() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (change: PostBody<'/user/info/edit'>) => post('/user/info/edit', change),
    meta: { inline: true },
    onSuccess: (user) => queryClient.setQueryData(userInfoQuery.queryKey, user),
  });
}
