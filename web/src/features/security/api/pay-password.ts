import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type PostBody, post } from '@/lib/api/call';
import { roots } from '@/lib/query-roots';

export function useSetPayPassword() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: PostBody<'/set/password'>) => post('/set/password', body),
    meta: { inline: true },
    onSuccess: () => {
      // Not waited for: the page is left first, or it would show for a moment that a password is set already.
      void queryClient.invalidateQueries({ queryKey: [roots.user] });
      void queryClient.invalidateQueries({ queryKey: [roots.wallet] });
    },
  });
}
