import { useMutation } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { hasReason } from '@/lib/api/error';
import { useStore } from '@/lib/use-store';
import { Button } from '@/ui/button';
import { FormAlert, PasswordField, TextField } from '@/ui/field';
import { staffPost } from '../api/call';
import { EntryPage } from './entry-page';
import { canUsePasskeys } from './passkey';
import { PasskeyLogin } from './passkey-login';
import { keepStaffDevice, staffDevice, staffSession, startStaffSession } from './store';

type Values = { username: string; password: string; code: string };

/** The login. It asks for the code of the second factor once the server does. */
export function LoginPage() {
  const { t } = useTranslation('console');
  const errorText = useErrorText();
  const endedBy = useStore(staffSession, (state) => state.endedBy);
  const form = useForm<Values>({ defaultValues: { username: '', password: '', code: '' } });
  const login = useMutation({
    mutationFn: ({ username, password, code }: Values) =>
      staffPost('/admin/login', {
        username: username.trim(),
        password,
        ...(code.trim() === '' ? {} : { code: code.trim() }),
        device_token: staffDevice(),
      }),
    onSuccess: ({ token, staff, device_token }) => {
      keepStaffDevice(device_token);
      startStaffSession(token, staff);
    },
  });
  const { errors } = form.formState;
  const asksCode = login.variables !== undefined && hasReason(login.error, 'SECOND_FACTOR_REQUIRED');
  const showsCode = asksCode || (login.variables?.code ?? '') !== '';
  // The first refusal only brings the field; a second one says that its content is wrong.
  const isNews = login.error !== null && !(asksCode && login.variables?.code === '');
  return (
    <EntryPage
      title={t('session.login_title')}
      intro={endedBy ? t(`session.ended.${endedBy}`) : t('session.login_intro')}
      onSubmit={form.handleSubmit((values) => login.mutate(values))}
      otherWay={canUsePasskeys() ? <PasskeyLogin /> : null}
    >
      <TextField
        label={t('session.username')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        error={errors.username && t('session.required')}
        {...form.register('username', { validate: (typed) => typed.trim() !== '' })}
      />
      <PasswordField
        label={t('session.password')}
        autoComplete="current-password"
        error={errors.password && t('session.required')}
        {...form.register('password', { required: true })}
      />
      {showsCode ? (
        <TextField
          label={t('session.code')}
          hint={t('session.code_hint')}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          {...form.register('code')}
        />
      ) : null}
      <FormAlert>{isNews ? errorText(login.error) : null}</FormAlert>
      <Button type="submit" wide busy={login.isPending}>
        {t('session.log_in')}
      </Button>
    </EntryPage>
  );
}
