import { useEffect, useLayoutEffect } from 'react';
import { useLocation, useNavigationType } from 'react-router';

/** Where each entry of the history was scrolled to. */
const positions = new Map<string, number>();

/** A new page starts at its top; going back finds the old one where it was. Sheets and tabs move nothing. */
export function useScroll(): void {
  const { key, pathname } = useLocation();
  const type = useNavigationType();

  useEffect(() => {
    history.scrollRestoration = 'manual';
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only another page scrolls, and `key` is of that page then
  useLayoutEffect(() => {
    window.scrollTo(0, type === 'POP' ? (positions.get(key) ?? 0) : 0);
  }, [pathname]);

  // In the same commit as the new page: a listener of the old entry would take the jump to the new page's top for its own.
  useLayoutEffect(() => {
    const remember = () => positions.set(key, window.scrollY);
    remember();
    window.addEventListener('scroll', remember, { passive: true });
    return () => window.removeEventListener('scroll', remember);
  }, [key]);
}
