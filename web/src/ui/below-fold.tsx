import { type ReactNode, startTransition, useEffect, useState } from 'react';

let isVisitBegun = false;

/**
 * What lies below the first screen of a long page. The page that a visit begins with draws it after what is seen at once;
 * every later one draws it at once, so that going back finds the place in it.
 */
export function BelowFold({ children }: { children: ReactNode }) {
  const [isDrawn, setDrawn] = useState(isVisitBegun);
  useEffect(() => {
    isVisitBegun = true;
    startTransition(() => setDrawn(true));
  }, []);
  return isDrawn ? children : null;
}
