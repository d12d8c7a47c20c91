import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { ApiError } from '@/lib/api/error';
import { Button } from '@/ui/button';
import { FormAlert, TextField } from '@/ui/field';
import { toast } from '@/ui/toast';
import { useForm } from '@/ui/use-form';
import { useFollow } from '../api/account';
import { followErrorOf } from '../rules';
import styles from './follow-form.module.css';

const EMPTY = { operator_id: '' };

export function FollowForm({ hasCurrent }: { hasCurrent: boolean }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const follow = useFollow();
  // A second tap may arrive before React disables the button.
  const running = useRef(false);
  const form = useForm(EMPTY, ({ operator_id }) => ({
    operator_id: operator_id.trim() === '' ? t('operated.error.required') : undefined,
  }));

  const submit = ({ operator_id }: typeof EMPTY) => {
    if (running.current) return;
    running.current = true;
    follow.mutate(operator_id.trim(), {
      onSuccess: () => {
        form.setValue('operator_id', '');
        toast(t('operated.success'));
      },
      onError: (error) => {
        const reason = reasonOf(error);
        if (reason) form.reject({ operator_id: t(`operated.error.${reason}`) });
      },
      onSettled: () => {
        running.current = false;
      },
    });
  };
  const alert = follow.isError && !reasonOf(follow.error) ? errorText(follow.error) : null;
  return (
    <form className={styles.form} {...form.formProps(submit)}>
      <FormAlert>{alert}</FormAlert>
      <TextField
        {...form.fieldProps('operator_id')}
        label={t('operated.id')}
        hint={t('operated.id_hint')}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
      />
      <Button type="submit" wide busy={follow.isPending}>
        {t(hasCurrent ? 'operated.change' : 'operated.follow')}
      </Button>
    </form>
  );
}

function reasonOf(error: unknown) {
  return error instanceof ApiError ? followErrorOf(error.reason) : null;
}
