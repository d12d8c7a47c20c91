import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { useStore } from '@/lib/use-store';
import { Button } from '@/ui/button';
import { FormAlert, TextField } from '@/ui/field';
import stack from '@/ui/stack.module.css';
import { staffPost } from '../api/call';
import { secondFactorAsked } from '../api/second-factor';
import { Dialog, DialogActions } from '../ui/dialog';
import { canUsePasskeys, showPasskey } from './passkey';
import { usePasskeyErrorText } from './passkey-error-text';
import { useStaff } from './use-staff';

type Ways = { settle: (shown: boolean) => void };

/** Asks for the second factor that a call waits for. */
export function SecondFactorDialog() {
  const asked = useStore(secondFactorAsked);
  return asked ? <Question settle={asked.settle} /> : null;
}

function Question({ settle }: Ways) {
  const { t } = useTranslation('console');
  const { has_totp: hasApp, passkeys } = useStaff();
  const offersPasskey = passkeys > 0 && canUsePasskeys();
  return (
    <Dialog title={t('session.factor_title')} onClose={() => settle(false)}>
      <p>{t('session.factor_text')}</p>
      {offersPasskey ? <ByPasskey settle={settle} isOnly={!hasApp} /> : null}
      {hasApp ? <ByCode settle={settle} /> : <OnlyPasskeys settle={settle} isUsable={offersPasskey} />}
    </Dialog>
  );
}

function OnlyPasskeys({ settle, isUsable }: Ways & { isUsable: boolean }) {
  const { t } = useTranslation('console');
  return (
    <>
      {isUsable ? null : <p role="alert">{t('session.passkey_elsewhere')}</p>}
      <DialogActions>
        <Button tone="quiet" onClick={() => settle(false)}>
          {t('act.cancel')}
        </Button>
      </DialogActions>
    </>
  );
}

function ByPasskey({ settle, isOnly }: Ways & { isOnly: boolean }) {
  const { t } = useTranslation('console');
  const errorText = usePasskeyErrorText();
  const confirm = useMutation({
    mutationFn: async () =>
      staffPost(
        '/admin/passkey/confirm',
        await showPasskey(await staffPost('/admin/passkey/confirmation', {})),
      ),
    onSuccess: () => settle(true),
  });
  return (
    <div className={stack.gap3}>
      <Button
        tone={isOnly ? 'primary' : 'secondary'}
        busy={confirm.isPending}
        autoFocus={isOnly}
        onClick={() => confirm.mutate()}
      >
        {t('session.use_passkey')}
      </Button>
      <FormAlert>{confirm.error ? errorText(confirm.error) : null}</FormAlert>
    </div>
  );
}

function ByCode({ settle }: Ways) {
  const { t } = useTranslation('console');
  const errorText = useErrorText();
  const [code, setCode] = useState('');
  const confirm = useMutation({
    mutationFn: () => staffPost('/admin/second_factor/confirm', { code: code.trim() }),
    onSuccess: () => settle(true),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (code.trim() !== '') confirm.mutate();
  };
  return (
    <form className={stack.gap4} onSubmit={submit} noValidate>
      <TextField
        label={t('session.code')}
        hint={t('session.code_hint')}
        value={code}
        onChange={(event) => setCode(event.target.value)}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
      />
      <FormAlert>{confirm.error ? errorText(confirm.error) : null}</FormAlert>
      <DialogActions>
        <Button tone="quiet" onClick={() => settle(false)}>
          {t('act.cancel')}
        </Button>
        <Button type="submit" busy={confirm.isPending} disabled={code.trim() === ''}>
          {t('session.factor_confirm')}
        </Button>
      </DialogActions>
    </form>
  );
}
