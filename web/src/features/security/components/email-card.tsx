import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { roots } from '@/domain/keys';
import { NoUserData } from '@/domain/no-user-data';
import { userInfoQuery } from '@/domain/user-info';
import { useErrorText } from '@/i18n/error-text';
import { post } from '@/lib/api/call';
import { ApiError } from '@/lib/api/error';
import { Button } from '@/ui/button';
import { Badge, Card } from '@/ui/card';
import { FormAlert, TextField } from '@/ui/field';
import { SkeletonCards } from '@/ui/states';
import { toast } from '@/ui/toast';
import { useForm } from '@/ui/use-form';
import { EMAIL_CODE_DIGITS, isEmailCode } from '../email-code';
import styles from './email-card.module.css';

/** Whether the email address is confirmed, and the code that confirms it. */
export function EmailCard() {
  const { t } = useTranslation();
  const query = useQuery(userInfoQuery);
  const user = query.isPlaceholderData ? undefined : query.data;
  if (query.isError && !user) return <NoUserData error={query.error} onRetry={() => query.refetch()} />;
  if (!user) return <SkeletonCards count={1} height="8rem" />;
  const { email, email_confirmed } = user;
  return (
    <Card className={styles.card}>
      <p className={styles.address}>
        <span>{email}</span>
        <Badge tone={email_confirmed ? 'positive' : 'warning'}>
          {t(email_confirmed ? 'security.email.confirmed' : 'security.email.unconfirmed')}
        </Badge>
      </p>
      {email_confirmed ? null : <Confirmation key={email} />}
    </Card>
  );
}

function Confirmation() {
  const { t } = useTranslation();
  const { form, send, submit, alert, isConfirming } = useConfirmation();
  return (
    <form className={styles.card} {...form.formProps(submit)}>
      <FormAlert>{alert}</FormAlert>
      <Button tone="secondary" wide busy={send.isPending} onClick={() => send.mutate()}>
        {t('security.email.send')}
      </Button>
      <TextField
        {...form.fieldProps('code')}
        label={t('security.email.code')}
        hint={<span aria-live="polite">{send.isSuccess ? t('security.email.sent') : null}</span>}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={20}
      />
      <Button type="submit" wide busy={isConfirming}>
        {t('common.confirm')}
      </Button>
    </form>
  );
}

function useConfirmation() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const queryClient = useQueryClient();
  // A second tap may arrive before React disables the button.
  const running = useRef(false);
  const form = useForm({ code: '' }, ({ code }) => ({
    code: isEmailCode(code) ? undefined : t('security.email.digits', { count: EMAIL_CODE_DIGITS }),
  }));
  const send = useMutation({
    mutationFn: () => post('/user/email/code', {}),
    meta: { inline: true },
    // It may have been confirmed on another device.
    onError: () => queryClient.invalidateQueries({ queryKey: roots.user }),
  });
  const confirm = useMutation({
    mutationFn: (code: string) => post('/user/email/confirm', { code }),
    meta: { inline: true },
    onMutate: () => send.reset(),
    onSuccess: (user) => {
      toast(t('security.action.auth.email_confirmed'));
      queryClient.setQueryData(userInfoQuery.queryKey, user);
      void queryClient.invalidateQueries({ queryKey: roots.security });
    },
    onError: (error) => {
      if (isAboutCode(error)) form.reject({ code: errorText(error) });
    },
    onSettled: () => {
      running.current = false;
    },
  });
  const submit = ({ code }: { code: string }) => {
    if (running.current) return;
    running.current = true;
    confirm.mutate(code);
  };
  const failure = send.error ?? (isAboutCode(confirm.error) ? null : confirm.error);
  return { form, send, submit, alert: failure && errorText(failure), isConfirming: confirm.isPending };
}

function isAboutCode(error: unknown): boolean {
  return error instanceof ApiError && error.field === 'code';
}
