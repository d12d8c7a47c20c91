import i18next from 'i18next';
import { useEffect, useRef, useState } from 'react';
import { toast } from './toast';

type Load<C> = () => Promise<{ default: C }>;

const fetched = new Map<unknown, unknown>();

async function fetchPart<C>(load: Load<C>): Promise<C> {
  const part = (await load()).default;
  fetched.set(load, part);
  return part;
}

/**
 * A component that loads on first use; null until then. Unlike `lazy`, a failure (as when offline) does not break the
 * page: it shows a toast and calls `giveUp`.
 */
export function usePart<C>(load: Load<C>, isWanted: boolean, giveUp: () => void): C | null {
  const [, setArrived] = useState(false);
  const onFailure = useRef(giveUp);
  onFailure.current = giveUp;
  const part = (fetched.get(load) as C | undefined) ?? null;
  const isThere = part !== null;

  useEffect(() => {
    // A part that arrived after this render is loaded once more: modules are cached, and only so it is shown.
    if (!isWanted || isThere) return;
    let over = false;
    fetchPart(load).then(
      () => !over && setArrived(true),
      () => {
        if (over) return;
        toast(i18next.t('error.network'), 'fail');
        onFailure.current();
      },
    );
    return () => {
      over = true;
    };
  }, [load, isWanted, isThere]);

  return part;
}

/** Prefetches parts, so that they open at once and offline, too. */
export async function fetchAhead(loads: readonly Load<unknown>[]): Promise<void> {
  // If this fails, opening the part reports it.
  await Promise.allSettled(loads.map(fetchPart));
}
