import { useEffect, useRef } from 'react';
import { NavigationType, useNavigationType } from 'react-router';
import { useService } from '@/domain/service/service-store';
import { closeHost, hasHost } from '@/lib/host';
import { endSession, sessionStore } from '@/lib/session/store';
import { useStore } from '@/lib/use-store';
import { useOverlay } from '@/ui/use-overlay';
import { usePart } from '@/ui/use-part';
import { blockingMessageStore } from './messages';
import { parts } from './parts';

/**
 * The only dialog for an expired session or a blocked account. The page behind it keeps its input until it is answered.
 */
export function BlockingMessageDialog() {
  const message = useStore(blockingMessageStore);
  const overlay = useOverlay('message');
  const service = useService();
  const wentBack = useNavigationType() === NavigationType.Pop;
  const wasOpen = useRef(false);
  const BlockingDialog = usePart(parts.blockingDialog, overlay.isOpen, overlay.close);

  useEffect(() => {
    if (overlay.isOpen) {
      wasOpen.current = true;
    } else if (service.isOpen && wasOpen.current) {
      // Customer service was opened from the dialog, which returns when that closes.
    } else if (wasOpen.current && (wentBack || sessionStore.get().token === null)) {
      wasOpen.current = false;
      blockingMessageStore.set(null);
      leave();
    } else if (message) {
      // Also after a tap on the page led elsewhere while the dialog was loading: it still needs an answer.
      overlay.open();
    }
  }, [message, overlay, service.isOpen, wentBack]);

  if (!message || !BlockingDialog) return null;
  return (
    <BlockingDialog
      message={message}
      isOpen={overlay.isOpen}
      onClose={overlay.close}
      onService={() => service.open({ outside: true })}
    />
  );
}

/** Users who registered here go to the login; users of a host app go back to it. */
function leave() {
  const { token, entry } = sessionStore.get();
  if (!token) return;
  if (entry !== 'host') endSession();
  else if (hasHost()) closeHost();
}
