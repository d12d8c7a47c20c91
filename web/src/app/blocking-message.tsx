import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { closeHost, hasHost } from '@/lib/host';
import { endSession, sessionStore } from '@/lib/session/store';
import { useStore } from '@/lib/store';
import { Button } from '@/ui/button';
import { Sheet } from '@/ui/sheet';
import { useOverlay } from '@/ui/use-overlay';
import { blockingMessageStore } from './messages';

/** The one dialog of an expired session or a blocked account. What was typed stays behind it until it is answered. */
export function BlockingMessageDialog() {
  const { t } = useTranslation();
  const message = useStore(blockingMessageStore);
  const overlay = useOverlay('message');
  const wasOpen = useRef(false);

  useEffect(() => {
    if (overlay.isOpen) {
      wasOpen.current = true;
    } else if (wasOpen.current) {
      wasOpen.current = false;
      blockingMessageStore.set(null);
      leave();
    } else if (message) {
      overlay.open();
    }
  }, [message, overlay]);

  if (!message) return null;
  const expired = message.kind === 'expired';
  return (
    <Sheet
      kind="dialog"
      isOpen={overlay.isOpen}
      onClose={overlay.close}
      title={t(expired ? 'error.expired_title' : 'error.account_title')}
      footer={
        <Button wide onClick={overlay.close}>
          {t(expired && sessionStore.get().entry !== 'host' ? 'error.log_in_again' : 'common.ok')}
        </Button>
      }
    >
      <p>{message.text}</p>
    </Sheet>
  );
}

/** A user who registered here goes to the login; one who came through a host goes back to it. */
function leave() {
  const { token, entry } = sessionStore.get();
  if (!token) return;
  if (entry !== 'host') endSession();
  else if (hasHost()) closeHost();
}
