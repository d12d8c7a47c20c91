import { useEffect, useLayoutEffect } from 'react';
import { useLocation, useNavigationType } from 'react-router';

/** The scroll position of each history entry. */
const positions = new Map<string, number>();

/** The last reported scroll position. Reading `scrollY` would force a layout. */
let position = 0;

/** New pages start at the top; going back restores the position. Sheets and tabs do not scroll. */
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

  // A layout effect, so that the old entry's listener cannot record the jump to the top as its own position.
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
