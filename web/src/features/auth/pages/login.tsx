import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Navigate, useLocation } from 'react-router';
import { useService } from '@/domain/service/service-store';
import { useErrorText } from '@/i18n/error-text';
import { useSession } from '@/lib/session/use-session';
import { Button } from '@/ui/button';
import { FormAlert, PasswordField, TextField } from '@/ui/field';
import stack from '@/ui/stack.module.css';
import { toast } from '@/ui/toast';
import { useForm } from '@/ui/use-form';
import { login } from '../api/calls';
import { Entrance } from '../components/entrance';
import { OtherForm } from '../components/other-form';
import { TextButton } from '../components/text-button';
import { checkLogin, returnPath } from '../rules';
import { useSessionStart } from '../use-session-start';

export default function LoginPage() {
  const { t } = useTranslation();
  const { token, returningUsername } = useSession();
  const location = useLocation();
  const errorText = useErrorText();
  const startSession = useSessionStart();
  const service = useService();
  const form = useForm({ username: returningUsername ?? '', password: '' }, (values) => {
    const wrong = checkLogin(values);
    return {
      username: wrong.username && t(`auth.error.${wrong.username}`),
      password: wrong.password && t(`auth.error.${wrong.password}`),
    };
  });
  const mutation = useMutation({
    mutationFn: login,
    meta: { inline: true },
    onSuccess: (session) => {
      startSession(session);
      toast(t('auth.login_success'));
    },
  });

  if (token) return <Navigate to={returnPath(location.state?.from, '/ad-center')} replace />;
  return (
    <Entrance title={t('auth.login_title')} lead={t('auth.login_lead')}>
      <form
        className={stack.gap4}
        {...form.formProps(({ username, password }) =>
          mutation.mutate({ username: username.trim(), password }),
        )}
      >
        <FormAlert>{mutation.isError ? errorText(mutation.error) : null}</FormAlert>
        <TextField
          {...form.fieldProps('username')}
          label={t('auth.username')}
          autoComplete="username"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
        />
        <PasswordField
          {...form.fieldProps('password')}
          label={t('auth.password')}
          autoComplete="current-password"
        />
        <TextButton
          onClick={() =>
            service.open({ subject: t('auth.forgot_password'), subtitle: t('service.forgot_password') })
          }
        >
          {t('auth.forgot_password')}
        </TextButton>
        <Button type="submit" large wide busy={mutation.isPending}>
          {t('auth.login')}
        </Button>
      </form>
      <OtherForm question={t('auth.no_account')} to="/register" action={t('auth.register')} />
    </Entrance>
  );
}
