import { type ReactNode, startTransition, useEffect, useState } from 'react';

let isVisitBegun = false;

/**
 * Content below the fold. On the first page of a visit it renders after the visible part; on later pages at once, so
 * that going back can restore the scroll position. `placeholder` reserves its space.
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
