import { useEffect, useRef } from 'react';
import { closeHost, hasHost } from '@/lib/host';
import { endSession, sessionStore } from '@/lib/session/store';
import { useStore } from '@/lib/use-store';
import { useService } from '@/ui/service/service-store';
import { useOverlay } from '@/ui/use-overlay';
import { usePart } from '@/ui/use-part';
import { blockingMessageStore } from './messages';
import { parts } from './parts';

/** The one dialog of an expired session or a blocked account. What was typed stays behind it until it is answered. */
export function BlockingMessageDialog() {
  const message = useStore(blockingMessageStore);
  const overlay = useOverlay('message');
  const service = useService();
  const wasOpen = useRef(false);
  const BlockingDialog = usePart(parts.blockingDialog, overlay.isOpen, overlay.close);

  useEffect(() => {
    if (overlay.isOpen) {
      wasOpen.current = true;
    } else if (service.isOpen && wasOpen.current) {
      // Customer service was opened out of the dialog, which is there again when that closes.
    } else if (wasOpen.current) {
      wasOpen.current = false;
      blockingMessageStore.set(null);
      leave();
    } else if (message) {
      overlay.open();
    }
  }, [message, overlay, service.isOpen]);

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

/** A user who registered here goes to the login; one who came through a host goes back to it. */
function leave() {
  const { token, entry } = sessionStore.get();
  if (!token) return;
  if (entry !== 'host') endSession();
  else if (hasHost()) closeHost();
}
