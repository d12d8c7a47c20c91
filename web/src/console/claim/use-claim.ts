import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { consoleKeys } from '../api/keys';
import { type Claim, holdClaim, type Item } from './hold';

/** Claims an item while the component is there. Returns the claim of whoever was first; null if that is the member. */
export function useClaim(kind: Item['kind'], id: string): Claim | null {
  const queryClient = useQueryClient();
  const [others, setOthers] = useState<Claim | null>(null);
  useEffect(
    () =>
      holdClaim({ kind, id }, (claim) => {
        setOthers(claim.own ? null : claim);
        // The list behind the dialog says the same.
        if (!claim.own)
          void queryClient.invalidateQueries({ queryKey: consoleKeys.list('/admin/claims', { kind }) });
      }),
    [queryClient, kind, id],
  );
  return others;
}
