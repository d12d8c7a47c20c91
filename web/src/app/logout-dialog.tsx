import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { pushOwner } from '@/domain/push/device';
import { logout } from '@/features/auth/api/calls';
import { endSession } from '@/lib/session/store';
import { Button } from '@/ui/button';
import { Sheet } from '@/ui/sheet';

/** A logout does not wait longer for the end of messages. With the session the server ends them, too. */
const MESSAGES_LIMIT_MS = 3_000;

type Props = { isOpen: boolean; onClose: () => void };

export default function LogoutDialog({ isOpen, onClose }: Props) {
  const { t } = useTranslation();
  const mutation = useMutation({
    mutationFn: async () => {
      await endMessages();
      return logout();
    },
    meta: { inline: true },
    // The session ends on this device whatever the server answers.
    onSettled: () => endSession(true),
  });
  return (
    <Sheet
      kind="dialog"
      isOpen={isOpen}
      onClose={onClose}
      title={t('header.logout_title')}
      footer={
        <>
          <Button tone="secondary" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button busy={mutation.isPending} onClick={() => mutation.mutate()}>
            {t('header.logout')}
          </Button>
        </>
      }
    >
      <p>{t('header.logout_text')}</p>
    </Sheet>
  );
}

/** The next user of this device must not read this one's messages. */
async function endMessages(): Promise<void> {
  if (pushOwner() === null) return;
  const ending = import('@/domain/push/push').then(({ turnOff }) => turnOff()).catch(() => undefined);
  await Promise.race([ending, new Promise((resolve) => setTimeout(resolve, MESSAGES_LIMIT_MS))]);
}
