import { useLocation, useNavigate } from 'react-router';
import { newIdempotencyKey } from '@/lib/idempotency';

type OverlayState = { overlay?: string; visit?: string } | null;

// A reload restores the history's state but not the overlay's content, so entries of an earlier visit are ignored.
const visit = newIdempotencyKey();

/** The open state of a sheet or dialog, kept in the browser's history: Back closes it and leaves the page in place. */
export function useOverlay(name: string): { isOpen: boolean; open: () => void; close: () => void } {
  const location = useLocation();
  const navigate = useNavigate();
  const state = location.state as OverlayState;
  const isOpen = state?.overlay === name && state.visit === visit;
  return {
    isOpen,
    open: () => {
      if (!isOpen) navigate(location, { state: { ...state, overlay: name, visit } });
    },
    close: () => {
      if (isOpen) navigate(-1);
    },
  };
}
