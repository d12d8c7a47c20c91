import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Navigate, useLocation } from 'react-router';
import { PASSWORD_BOUNDS } from '@/domain/login-password';
import { useErrorText } from '@/i18n/error-text';
import { ApiError } from '@/lib/api/error';
import { useIntentionKey } from '@/lib/idempotency';
import { useSession } from '@/lib/session/use-session';
import { Button } from '@/ui/button';
import { FormAlert, PasswordField, TextField } from '@/ui/field';
import stack from '@/ui/stack.module.css';
import { toast } from '@/ui/toast';
import { useForm } from '@/ui/use-form';
import { register } from '../api/calls';
import { Entrance } from '../components/entrance';
import { NoCode } from '../components/no-code';
import { OtherForm } from '../components/other-form';
import { keepCode, keptCode } from '../kept-code';
import {
  checkRegister,
  type FieldError,
  type RegisterValues,
  registerBody,
  registerFieldOf,
  returnPath,
} from '../rules';
import { useSessionStart } from '../use-session-start';
import styles from './register.module.css';

const EMPTY: RegisterValues = {
  username: '',
  nickname: '',
  password: '',
  confirm_password: '',
  email: '',
  phone: '',
  licenseKey: '',
};

export default function RegisterPage() {
  const { t } = useTranslation();
  const { token } = useSession();
  const location = useLocation();
  const { form, mutation, formError } = useRegistration();

  if (token) return <Navigate to={returnPath(location.state?.from, '/ad-center')} replace />;
  return (
    <Entrance title={t('auth.register_title')} lead={t('auth.register_lead')}>
      <form className={stack.gap4} {...form.formProps((values) => mutation.mutate(registerBody(values)))}>
        <FormAlert>{formError}</FormAlert>
        <fieldset className={styles.group}>
          <legend className={styles.legend}>{t('auth.group_login')}</legend>
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
            {...form.leaveProps('password')}
            label={t('auth.password')}
            hint={t('auth.password_hint', PASSWORD_BOUNDS)}
            autoComplete="new-password"
          />
          <PasswordField
            {...form.fieldProps('confirm_password')}
            label={t('auth.confirm_password')}
            autoComplete="new-password"
          />
        </fieldset>
        <fieldset className={styles.group}>
          <legend className={styles.legend}>{t('auth.group_person')}</legend>
          <TextField
            {...form.fieldProps('nickname')}
            label={t('auth.nickname')}
            optional
            autoComplete="nickname"
          />
          <TextField
            {...form.fieldProps('email')}
            label={t('auth.email')}
            type="email"
            inputMode="email"
            autoComplete="email"
          />
          <TextField
            {...form.fieldProps('phone')}
            label={t('auth.phone')}
            type="tel"
            inputMode="tel"
            autoComplete="tel"
          />
        </fieldset>
        <fieldset className={styles.group}>
          <legend className={styles.legend}>{t('auth.group_license')}</legend>
          <TextField
            {...form.fieldProps('licenseKey')}
            label={t('auth.license_key')}
            hint={t('auth.license_hint')}
            autoComplete="off"
            autoCapitalize="characters"
            autoCorrect="off"
            spellCheck={false}
          />
          <NoCode />
        </fieldset>
        <Button type="submit" large wide busy={mutation.isPending}>
          {t('auth.register')}
        </Button>
      </form>
      <OtherForm question={t('auth.have_account')} to="/login" action={t('auth.login')} />
    </Entrance>
  );
}

function useRegistration() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const startSession = useSessionStart();
  const key = useIntentionKey();
  const form = useForm({ ...EMPTY, licenseKey: keptCode() }, (values) => {
    const text = (error: FieldError | undefined) => error && t(`auth.error.${error}`, PASSWORD_BOUNDS);
    return Object.fromEntries(
      Object.entries(checkRegister(values)).map(([name, error]) => [name, text(error)]),
    );
  });
  const mutation = useMutation({
    // A retry with the same values after a lost answer must not open a second account.
    mutationFn: (body: ReturnType<typeof registerBody>) => register(body, key.for(body)),
    meta: { inline: true },
    onSettled: (_session, error) => key.settle(error),
    onSuccess: (session) => {
      keepCode(null);
      startSession(session);
      toast(t('auth.register_success'));
    },
    onError: (error) => {
      const field = fieldOf(error);
      if (field) form.reject({ [field]: errorText(error) });
    },
  });
  const formError = mutation.isError && !fieldOf(mutation.error) ? errorText(mutation.error) : null;
  return { form, mutation, formError };
}

function fieldOf(error: unknown): keyof RegisterValues | null {
  return error instanceof ApiError ? registerFieldOf(error.field, error.reason) : null;
}
