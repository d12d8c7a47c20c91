import { useMutation, useQueryClient } from '@tanstack/react-query';
import { post } from '@/lib/api/call';
import { roots } from '../keys';

/** `onReturned` runs even if the notice that led here has gone by then. */
export function useReturnStartUp(onReturned: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ amount, key }: { amount: string; key: string }) =>
      post('/user/start_up_funds/return', { amount }, { idempotencyKey: key }),
    meta: { inline: true },
    onSuccess: onReturned,
    // A refusal, too, means that the balances shown are outdated.
    onSettled: () => void queryClient.invalidateQueries({ queryKey: roots.wallet }),
  });
}
