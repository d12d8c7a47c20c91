import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import stack from '@/ui/stack.module.css';
import { staffPost } from '../api/call';
import { showPasskey } from './passkey';
import { usePasskeyErrorText } from './passkey-error-text';
import { keepStaffDevice, staffDevice, startStaffSession } from './store';

/** The login by a passkey. It replaces the username, the password and the code. */
export function PasskeyLogin() {
  const { t } = useTranslation('console');
  const errorText = usePasskeyErrorText();
  const login = useMutation({
    mutationFn: async () => {
      const shown = await showPasskey(await staffPost('/admin/passkey/login_options', {}));
      return staffPost('/admin/passkey/login', { ...shown, device_token: staffDevice() });
    },
    onSuccess: ({ token, staff, device_token }) => {
      keepStaffDevice(device_token);
      startStaffSession(token, staff);
    },
  });
  return (
    <div className={stack.gap4}>
      {login.error ? <FormAlert>{errorText(login.error)}</FormAlert> : null}
      <Button tone="secondary" wide busy={login.isPending} onClick={() => login.mutate()}>
        {t('session.log_in_by_passkey')}
      </Button>
    </div>
  );
}
