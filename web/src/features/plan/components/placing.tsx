import { useState } from 'react';
import type { PlanDetail } from '@/lib/api/types';
import { SkeletonCards } from '@/ui/states';
import { usePart } from '@/ui/use-part';
import { hasBegun } from '../rules';

const loadCards = () => import('../placing/placing-cards').then(({ load }) => load());

/** Pace and placements of a plan whose delivery has begun. They come after the page, with their texts. */
export function Placing({ plan }: { plan: PlanDetail }) {
  const [failed, setFailed] = useState(false);
  const Cards = usePart(loadCards, hasBegun(plan), () => setFailed(true));
  if (!hasBegun(plan) || failed) return null;
  return Cards ? <Cards plan={plan} /> : <SkeletonCards count={2} height="26rem" />;
}
