import { useRef } from 'react';
import { type Location, useLocation, useNavigate } from 'react-router';
import { newIdempotencyKey } from '@/lib/idempotency';

/** A page's sheet, and the one that may lie above it. Opening another sheet on the page closes both. */
type Layer = 'overlay' | 'above';

type OverlayState = ({ [L in Layer]?: string | undefined } & { visit?: string }) | null;

// A reload restores the history's state but not the overlay's content, so entries of an earlier visit are ignored.
const visit = newIdempotencyKey();

/**
 * The open state of a sheet or dialog, kept in the browser's history: Back closes it and leaves the page in place. A
 * sheet in the layer `above` leaves the page's sheet open, too.
 */
export function useOverlay(
  name: string,
  layer: Layer = 'overlay',
): { isOpen: boolean; open: () => void; close: () => void } {
  const location = useLocation();
  const navigate = useNavigate();
  const state = location.state as OverlayState;
  const isOpen = state?.[layer] === name && state.visit === visit;
  const changed = useRef<Location>(null);
  // A navigation is rendered later than it is made. Without this, a second tap in between would make a second one.
  const once = (change: () => void) => {
    if (changed.current === location) return;
    changed.current = location;
    change();
  };
  return {
    isOpen,
    open: () => {
      const others = layer === 'above' ? state : { ...state, above: undefined };
      if (!isOpen) once(() => navigate(location, { state: { ...others, [layer]: name, visit } }));
    },
    close: () => {
      if (isOpen) once(() => navigate(-1));
    },
  };
}
