import { type ReactNode, startTransition, useEffect, useState } from 'react';

let isVisitBegun = false;

/**
 * What lies below the first screen of a long page. The page that a visit begins with draws it after what is seen at once;
 * every later one draws it at once, so that going back finds the place in it. `placeholder` keeps the place of what is partly
 * seen.
 */
export function BelowFold({
  children,
  placeholder = null,
}: {
  children: ReactNode;
  placeholder?: ReactNode;
}) {
  const [isDrawn, setDrawn] = useState(isVisitBegun);
  useEffect(() => {
    isVisitBegun = true;
    startTransition(() => setDrawn(true));
  }, []);
  return isDrawn ? children : placeholder;
}
