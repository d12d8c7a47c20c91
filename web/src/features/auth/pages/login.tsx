import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useLocation } from 'react-router';
import { useService } from '@/domain/service/service-store';
import { useErrorText } from '@/i18n/error-text';
import { useSession } from '@/lib/session/use-session';
import { Button } from '@/ui/button';
import { cx } from '@/ui/cx';
import { FormAlert, PasswordField, TextField } from '@/ui/field';
import { LogoMark } from '@/ui/logo';
import { toast } from '@/ui/toast';
import { useForm } from '@/ui/use-form';
import { login } from '../api/calls';
import { checkLogin, returnPath } from '../rules';
import { useSessionStart } from '../use-session-start';
import styles from './auth.module.css';

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
    <div className={cx(styles.page, styles.boxed)}>
      <div className={styles.head}>
        <div className={styles.brand}>
          <LogoMark size={44} />
          {t('common.app_name')}
        </div>
        <h1 className={styles.title}>{t('auth.login_title')}</h1>
        <p className={styles.lead}>{t('auth.login_lead')}</p>
      </div>
      <form
        className={styles.form}
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
        <button
          type="button"
          className={cx(styles.link, styles.quiet)}
          onClick={() => service.open({ subtitle: t('service.forgot_password') })}
        >
          {t('auth.forgot_password')}
        </button>
        <Button type="submit" large wide busy={mutation.isPending}>
          {t('auth.login')}
        </Button>
      </form>
      <p className={styles.switch}>
        {t('auth.no_account')}{' '}
        <Link className={styles.link} to="/register" state={location.state}>
          {t('auth.register')}
        </Link>
      </p>
    </div>
  );
}
