import { useMutation, useQueryClient } from '@tanstack/react-query';
import { roots } from '@/domain/keys';
import { post } from '@/lib/api/call';
import type { PostBody } from '@/lib/api/contract';

export function useSetPayPassword() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: PostBody<'/set/password'>) => post('/set/password', body),
    meta: { inline: true },
    onSuccess: () => {
      // Not awaited: the page must be left before it can show that a password is already set.
      void queryClient.invalidateQueries({ queryKey: roots.user });
      void queryClient.invalidateQueries({ queryKey: roots.wallet });
    },
  });
}
