import { useMutation } from '@tanstack/react-query';
import type { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { PasswordField } from '@/ui/field';
import { staffPost } from '../api/call';
import { endStaffSession } from './store';

/** The server's minimum for staff. */
export const PASSWORD_MIN = 8;

export const newPasswordSchema = z
  .object({
    old: z.string().min(1, 'required'),
    wanted: z.string().min(PASSWORD_MIN, 'too_short'),
    repeated: z.string(),
  })
  .refine(({ wanted, repeated }) => wanted === repeated, { path: ['repeated'], message: 'repeat_differs' });

export type NewPassword = z.infer<typeof newPasswordSchema>;

/** Changes the member's own password. The server ends all of their sessions with it, this one too. */
export function useOwnPassword() {
  return useMutation({
    mutationFn: ({ old, wanted }: NewPassword) =>
      staffPost('/admin/staff/password', { old_password: old, new_password: wanted }),
    onSuccess: () => endStaffSession('password_changed'),
  });
}

type Form = ReturnType<typeof useForm<NewPassword>>;

type FieldsProps = { form: Form; oldLabel: string };

export function NewPasswordFields({ form, oldLabel }: FieldsProps) {
  const { t } = useTranslation('console');
  const { errors } = form.formState;
  const text = (message: string | undefined) => {
    if (message === 'too_short' || message === 'repeat_differs') return t(`session.${message}`);
    return message ? t('session.required') : undefined;
  };
  return (
    <>
      <PasswordField
        label={oldLabel}
        autoComplete="current-password"
        error={text(errors.old?.message)}
        {...form.register('old')}
      />
      <PasswordField
        label={t('session.new_password')}
        hint={t('session.new_password_hint')}
        autoComplete="new-password"
        error={text(errors.wanted?.message)}
        {...form.register('wanted')}
      />
      <PasswordField
        label={t('session.repeat_password')}
        autoComplete="new-password"
        error={text(errors.repeated?.message)}
        {...form.register('repeated')}
      />
    </>
  );
}
