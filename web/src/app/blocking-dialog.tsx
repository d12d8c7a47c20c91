import { Headset } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { sessionStore } from '@/lib/session/store';
import { Button } from '@/ui/button';
import { Sheet } from '@/ui/sheet';
import type { BlockingMessage } from './messages';

type Props = { message: BlockingMessage; isOpen: boolean; onClose: () => void; onService: () => void };

export default function BlockingDialog({ message, isOpen, onClose, onService }: Props) {
  const { t } = useTranslation();
  const expired = message.kind === 'expired';
  const logsIn = expired && sessionStore.get().entry !== 'host';
  return (
    <Sheet
      kind="dialog"
      isOpen={isOpen}
      onClose={onClose}
      title={t(expired ? 'error.expired_title' : 'error.account_title')}
      stacked={!expired}
      footer={
        <>
          {expired ? null : (
            <Button wide onClick={onService}>
              <Headset size={20} aria-hidden="true" />
              {t('error.contact_service')}
            </Button>
          )}
          <Button wide tone={expired ? 'primary' : 'secondary'} onClick={onClose}>
            {t(logsIn ? 'error.log_in_again' : 'common.ok')}
          </Button>
        </>
      }
    >
      <p>{message.text}</p>
    </Sheet>
  );
}
