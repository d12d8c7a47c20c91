import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { useStore } from '@/lib/use-store';
import { Button } from '@/ui/button';
import { FormAlert, TextField } from '@/ui/field';
import { staffPost } from '../api/call';
import { secondFactorAsked } from '../api/second-factor';
import { Dialog, DialogActions } from '../ui/dialog';

/** Asks for the code that a call waits for. */
export function SecondFactorDialog() {
  const asked = useStore(secondFactorAsked);
  return asked ? <Question settle={asked.settle} /> : null;
}

function Question({ settle }: { settle: (shown: boolean) => void }) {
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
    <Dialog title={t('session.factor_title')} onClose={() => settle(false)}>
      <p>{t('session.factor_text')}</p>
      <form onSubmit={submit} noValidate style={{ display: 'grid', gap: 'var(--space-4)' }}>
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
    </Dialog>
  );
}
