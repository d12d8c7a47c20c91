import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { staffGet } from '../api/call';
import { consoleKeys } from '../api/keys';
import { useReadEvery } from '../live/state';
import type { Claim, Item } from './hold';

/** Claims that are read at most. More members than this do not work at the same time. */
const MOST_CLAIMS = 100;

const NONE: ReadonlyMap<string, Claim> = new Map();
const Claims = createContext(NONE);

/** Knows who else works on which row of a list. */
export function ClaimedRows({ kind, children }: { kind: Item['kind'] | null; children: ReactNode }) {
  const readEvery = useReadEvery('/admin/claims');
  const claims = useQuery({
    queryKey: consoleKeys.list('/admin/claims', { kind: kind ?? undefined }),
    queryFn: ({ signal }) =>
      kind === null ? null : staffGet('/admin/claims', { kind, limit: MOST_CLAIMS }, { signal }),
    select: othersOf,
    enabled: kind !== null,
    refetchInterval: readEvery,
  });
  return <Claims value={claims.data ?? NONE}>{children}</Claims>;
}

/** Somebody else's claim on a row; undefined if there is none. */
export function useRowClaim(id: string): Claim | undefined {
  return useContext(Claims).get(id);
}

function othersOf(page: { items: Claim[] } | null): ReadonlyMap<string, Claim> {
  return new Map(page?.items.filter(({ own }) => !own).map((claim) => [claim.id, claim]));
}
