import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { PASSWORD_BOUNDS } from '@/domain/login-password';
import { CoolingOffHint } from '@/domain/pay/cooling-off-hint';
import { userInfoQuery } from '@/domain/user-info';
import { useErrorText } from '@/i18n/error-text';
import { post } from '@/lib/api/call';
import type { PostBody } from '@/lib/api/contract';
import { ApiError } from '@/lib/api/error';
import { endSession } from '@/lib/session/store';
import { Button } from '@/ui/button';
import { FormAlert, PasswordField } from '@/ui/field';
import stack from '@/ui/stack.module.css';
import { toast } from '@/ui/toast';
import { useForm } from '@/ui/use-form';
import { checkPasswordChange, type PasswordValues, passwordFieldOf, textOfError } from '../login-password';
import styles from './edit-login-password.module.css';

const EMPTY: PasswordValues = { old_password: '', new_password: '', confirm_password: '' };

export default function EditLoginPasswordPage() {
  const { t } = useTranslation();
  // Password managers store the new password under this name.
  const username = useQuery(userInfoQuery).data?.username ?? '';
  const { form, submit, alert, isPending } = usePasswordChange();
  return (
    <form className={stack.gap5} {...form.formProps(submit)}>
      <p className={styles.lead}>
        <ShieldCheck size={20} aria-hidden="true" />
        {t('security_login.lead')}
      </p>
      <CoolingOffHint />
      <FormAlert>{alert}</FormAlert>
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <PasswordField
        {...form.fieldProps('old_password')}
        label={t('security_login.old_password')}
        autoComplete="current-password"
      />
      <PasswordField
        {...form.fieldProps('new_password')}
        {...form.leaveProps('new_password')}
        label={t('security_login.new_password')}
        hint={t('auth.password_hint', PASSWORD_BOUNDS)}
        autoComplete="new-password"
      />
      <PasswordField
        {...form.fieldProps('confirm_password')}
        label={t('security_login.confirm_password')}
        autoComplete="new-password"
      />
      <Button type="submit" large wide busy={isPending}>
        {t('security_login.submit')}
      </Button>
    </form>
  );
}

function usePasswordChange() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const queryClient = useQueryClient();
  // A second tap may arrive before React disables the button.
  const running = useRef(false);
  const form = useForm(EMPTY, (values) =>
    Object.fromEntries(
      Object.entries(checkPasswordChange(values)).map(([name, error]) => [
        name,
        error && t(textOfError(error), PASSWORD_BOUNDS),
      ]),
    ),
  );
  const mutation = useMutation({
    mutationFn: (body: PostBody<'/update/password'>) => post('/update/password', body),
    meta: { inline: true },
    onSuccess: () => {
      toast(t('security_login.success'));
      // The server has ended all sessions; the guard redirects to the login.
      endSession(true, queryClient.getQueryData(userInfoQuery.queryKey)?.username ?? null);
    },
    onError: (error) => {
      const field = fieldOf(error);
      if (field) form.reject({ [field]: errorText(error) });
    },
    onSettled: () => {
      running.current = false;
    },
  });
  const submit = (values: PasswordValues) => {
    if (running.current) return;
    running.current = true;
    mutation.mutate(values);
  };
  const alert = mutation.isError && !fieldOf(mutation.error) ? errorText(mutation.error) : null;
  return { form, submit, alert, isPending: mutation.isPending };
}

function fieldOf(error: unknown): keyof PasswordValues | null {
  return error instanceof ApiError ? passwordFieldOf(error.field, error.reason) : null;
}
