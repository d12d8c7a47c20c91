import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import stack from '@/ui/stack.module.css';
import {
  type NewPassword,
  NewPasswordFields,
  newPasswordSchema,
  useOwnPassword,
} from '../../session/own-password';
import { Panel } from '../../ui/panel';

/** The change of one's own password, which ends this session. */
export function OwnPassword() {
  const { t } = useTranslation('console');
  const errorText = useErrorText();
  const change = useOwnPassword();
  const form = useForm<NewPassword>({
    resolver: zodResolver(newPasswordSchema),
    defaultValues: { old: '', wanted: '', repeated: '' },
  });
  return (
    <Panel title={t('own_security.password')}>
      <p>{t('own_security.password_intro')}</p>
      <form className={stack.gap4} noValidate onSubmit={form.handleSubmit((values) => change.mutate(values))}>
        <NewPasswordFields form={form} oldLabel={t('own_security.old_password')} />
        <FormAlert>{change.error ? errorText(change.error) : null}</FormAlert>
        <div>
          <Button type="submit" busy={change.isPending}>
            {t('own_security.change_password')}
          </Button>
        </div>
      </form>
    </Panel>
  );
}
