import { useQuery } from '@tanstack/react-query';
import { withPlacingTexts } from '@/i18n/placing-texts';
import type { PlanDetail } from '@/lib/api/types';
import { paceQuery, placementsQuery } from '../api/placing';
import { PaceCard } from './pace-card';
import { PlacementsCard } from './placements-card';
import { isPaced } from './rules';

/** What the algorithm does with the money of a plan: how fast it is spent, where, and why. */
function PlacingCards({ plan }: { plan: PlanDetail }) {
  const pace = useQuery(paceQuery(plan));
  const placements = useQuery(placementsQuery(plan));
  const isWithoutPace = pace.data !== undefined && !isPaced(pace.data);
  return (
    <>
      {isWithoutPace ? null : <PaceCard query={pace} />}
      {isWithoutPace && placements.data?.items.length === 0 ? null : (
        <PlacementsCard plan={plan} query={placements} />
      )}
    </>
  );
}

export const load = withPlacingTexts(PlacingCards);
