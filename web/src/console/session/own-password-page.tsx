import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import { EntryPage } from './entry-page';
import { logOut } from './log-out';
import { type NewPassword, NewPasswordFields, newPasswordSchema, useOwnPassword } from './own-password';

/** What a member sees who logged in with a password that somebody else knows. */
export default function OwnPasswordPage() {
  const { t } = useTranslation('console');
  const errorText = useErrorText();
  const change = useOwnPassword();
  const form = useForm<NewPassword>({
    resolver: zodResolver(newPasswordSchema),
    defaultValues: { old: '', wanted: '', repeated: '' },
  });
  return (
    <EntryPage
      title={t('session.new_password_title')}
      intro={t('session.new_password_intro')}
      onSubmit={form.handleSubmit((values) => change.mutate(values))}
    >
      <NewPasswordFields form={form} oldLabel={t('session.old_password')} />
      <FormAlert>{change.error ? errorText(change.error) : null}</FormAlert>
      <Button type="submit" wide busy={change.isPending}>
        {t('session.change_password')}
      </Button>
      <Button tone="quiet" wide onClick={() => void logOut(null)}>
        {t('session.log_out')}
      </Button>
    </EntryPage>
  );
}
