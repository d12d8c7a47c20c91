import { useMutation, useQueryClient } from '@tanstack/react-query';
import { roots } from '@/domain/keys';
import { type PostBody, post } from '@/lib/api/call';

export function useSetPayPassword() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: PostBody<'/set/password'>) => post('/set/password', body),
    meta: { inline: true },
    onSuccess: () => {
      // Not waited for: the page is left first, or it would show for a moment that a password is set already.
      void queryClient.invalidateQueries({ queryKey: roots.user });
      void queryClient.invalidateQueries({ queryKey: roots.wallet });
    },
  });
}
