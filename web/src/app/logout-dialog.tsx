import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { logout } from '@/features/auth/api/calls';
import { endSession } from '@/lib/session/store';
import { Button } from '@/ui/button';
import { Sheet } from '@/ui/sheet';

type Props = { isOpen: boolean; onClose: () => void };

export default function LogoutDialog({ isOpen, onClose }: Props) {
  const { t } = useTranslation();
  const mutation = useMutation({
    mutationFn: logout,
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
