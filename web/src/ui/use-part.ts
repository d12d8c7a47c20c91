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
 * A component of the shell that is fetched when it is first wanted; null until it is there. Unlike `lazy` it can fail
 * without taking the page down, as it does offline: then that is said, and `giveUp` undoes the wish.
 */
export function usePart<C>(load: Load<C>, isWanted: boolean, giveUp: () => void): C | null {
  const [, setArrived] = useState(false);
  const onFailure = useRef(giveUp);
  onFailure.current = giveUp;

  useEffect(() => {
    if (!isWanted || fetched.has(load)) return;
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
  }, [load, isWanted]);

  return (fetched.get(load) as C | undefined) ?? null;
}

/** Fetches parts before they are wanted, so that they also open offline. */
export function fetchAhead(loads: readonly Load<unknown>[]): void {
  for (const load of loads) {
    // A failure shows itself when the part is wanted.
    fetchPart(load).catch(() => undefined);
  }
}
