import { useEffect, useRef } from 'react';
import { stepUpStore } from '@/lib/api/step-up';
import { useStore } from '@/lib/use-store';
import { useOverlay } from '@/ui/use-overlay';
import { usePart } from '@/ui/use-part';
import { parts } from './parts';

/** By then the waiting screen has learned that its call was given up, and enabled its button again. */
const ENABLED_AGAIN_MS = 100;

/** The only sheet that confirms the user's identity. Any call that needs it waits for its outcome. */
export function StepUp() {
  const request = useStore(stepUpStore);
  const overlay = useOverlay('step-up', 'above');
  const { isOpen, close } = overlay;
  const StepUpSheet = usePart(parts.stepUpSheet, request !== null, () =>
    isOpen ? close() : request?.settle(false),
  );
  const returnFocus = useFocusBefore();
  const wasOpen = useRef(false);
  const confirmed = useRef(false);

  // Settles only once the sheet has left the history: the waiting screen may navigate at once.
  useEffect(() => {
    if (isOpen) {
      wasOpen.current = request !== null;
    } else if (wasOpen.current) {
      wasOpen.current = false;
      request?.settle(confirmed.current);
      returnFocus();
    } else if (request) {
      confirmed.current = false;
      overlay.open();
    }
  });

  if (!request || !isOpen || !StepUpSheet) return null;
  return (
    <StepUpSheet
      refusal={request.refusal}
      onConfirmed={() => {
        confirmed.current = true;
        close();
      }}
      onClose={close}
    />
  );
}

/** Remembers the focused element. Its button is disabled during the call, and a disabled button loses the focus. */
function useFocusBefore(): () => void {
  const last = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && stepUpStore.get() === null) last.current = target;
    };
    document.addEventListener('focusin', remember);
    return () => document.removeEventListener('focusin', remember);
  }, []);
  return () => {
    setTimeout(() => {
      const { activeElement } = document;
      if (
        activeElement === null ||
        activeElement === document.body ||
        activeElement instanceof HTMLDialogElement
      )
        last.current?.focus({ preventScroll: true });
    }, ENABLED_AGAIN_MS);
  };
}
