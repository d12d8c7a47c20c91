import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { sharedKeys } from '@/domain/keys';
import { get, post } from '@/lib/api/call';
import type { CouponState } from '@/lib/api/types';
import { couponKeys } from './keys';

export const couponListQuery = (state: CouponState) =>
  infiniteQueryOptions({
    queryKey: couponKeys.list(state),
    queryFn: ({ pageParam, signal }) =>
      get('/user_coupon/list', { state, ...(pageParam ? { cursor: pageParam } : {}) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    staleTime: 0,
  });

/** `onClaimed` runs even if the campaign has left the page by then. */
export function useClaimCoupon(onClaimed: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ campaignId, key }: { campaignId: string; key: string }) =>
      post('/user_coupon/receive', { campaign_id: campaignId }, { idempotencyKey: key }),
    // Not passed to `mutate`: its callbacks die with the button, which leaves with the last coupon of a campaign.
    onSuccess: onClaimed,
    // After a refusal, too, because it means that the list is outdated.
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: couponKeys.all }),
        queryClient.invalidateQueries({ queryKey: sharedKeys.productDetails }),
      ]),
  });
}
