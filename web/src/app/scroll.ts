import { useEffect, useLayoutEffect } from 'react';
import { useLocation, useNavigationType } from 'react-router';

/** Where each entry of the history was scrolled to. */
const positions = new Map<string, number>();

/** Where the page is scrolled to, as events told: to ask for it would lay the page out. */
let position = 0;

/** A new page starts at its top; going back finds the old one where it was. Sheets and tabs move nothing. */
export function useScroll(): void {
  const { key, pathname } = useLocation();
  const type = useNavigationType();

  useEffect(() => {
    history.scrollRestoration = 'manual';
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only another page scrolls, and `key` is of that page then
  useLayoutEffect(() => {
    const wanted = type === 'POP' ? (positions.get(key) ?? 0) : 0;
    if (wanted !== position) window.scrollTo(0, wanted);
    position = wanted;
  }, [pathname]);

  // In the same commit as the new page: a listener of the old entry would take the jump to the new page's top for its own.
  useLayoutEffect(() => {
    positions.set(key, position);
    const remember = () => {
      position = window.scrollY;
      positions.set(key, position);
    };
    window.addEventListener('scroll', remember, { passive: true });
    return () => window.removeEventListener('scroll', remember);
  }, [key]);
}
