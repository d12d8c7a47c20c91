import { useState, useSyncExternalStore } from 'react';
import { usePart } from './use-part';

/** The same width as in the stylesheets. */
const desk = () => matchMedia('(min-width: 64rem)');

export const isDesk = (): boolean => desk().matches;

function subscribe(onChange: () => void): () => void {
  const query = desk();
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** A part that only a desk loads; null on a phone, while it loads, and if it cannot be loaded. */
export function useDeskPart<C>(load: () => Promise<{ default: C }>): { Part: C | null; isAwaited: boolean } {
  const isWide = useSyncExternalStore(subscribe, isDesk);
  const [failed, setFailed] = useState(false);
  const Part = usePart(load, isWide, () => setFailed(true));
  return { Part: isWide ? Part : null, isAwaited: isWide && !Part && !failed };
}
