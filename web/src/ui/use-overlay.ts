import { useLocation, useNavigate } from 'react-router';
import { newIdempotencyKey } from '@/lib/idempotency';

type OverlayState = { overlay?: string; visit?: string } | null;

// A reload restores the history's state but not what the overlay showed, so an entry of an earlier visit is ignored.
const visit = newIdempotencyKey();

/**
 * Whether a sheet or dialog is open, kept as an entry of the browser's history: the device's Back closes it and
 * leaves the page where it is.
 */
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
