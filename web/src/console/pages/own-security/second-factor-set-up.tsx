import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { hasReason } from '@/lib/api/error';
import type { components } from '@/lib/api/schema';
import { Button, ButtonAnchor } from '@/ui/button';
import { CopyableCode } from '@/ui/copyable-code';
import { FormAlert, TextField } from '@/ui/field';
import { staffPost } from '../../api/call';
import { QrCode } from './qr-code';
import { RecoveryCodes } from './recovery-codes';
import styles from './second-factor-set-up.module.css';

type Props = {
  factor: components['schemas']['SecondFactor'];
  onCancel: () => void;
  onActive: () => void;
};

/** The secret for the app, the recovery codes, and the first code, which activates both. */
export function SecondFactorSetUp({ factor, onCancel, onActive }: Props) {
  const { t } = useTranslation('console');
  const errorText = useErrorText();
  const [code, setCode] = useState('');
  const [isKept, setKept] = useState(false);
  const confirm = useMutation({
    mutationFn: () => staffPost('/admin/second_factor/confirm', { code: code.replace(/\s/g, '') }),
    onSuccess: onActive,
  });
  const isReady = isKept && code.trim() !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) confirm.mutate();
  };
  return (
    <ol className={styles.steps}>
      <li className={styles.step}>
        <h3 className={styles.heading}>{t('own_security.scan')}</h3>
        <QrCode text={factor.otpauth_uri} label={t('own_security.qr')} />
        <p>{t('own_security.by_hand')}</p>
        <div className={styles.secret}>
          <CopyableCode
            text={factor.secret}
            shown={factor.secret.replace(/(.{4})(?=.)/g, '$1 ')}
            label={t('own_security.copy_secret')}
          />
        </div>
        <div>
          <ButtonAnchor tone="quiet" href={factor.otpauth_uri}>
            {t('own_security.open_app')}
          </ButtonAnchor>
        </div>
      </li>
      <li className={styles.step}>
        <h3 className={styles.heading}>{t('own_security.recovery')}</h3>
        <p>{t('own_security.recovery_intro')}</p>
        <RecoveryCodes codes={factor.recovery_codes} />
        <label className={styles.kept}>
          <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.target.checked)} />
          {t('own_security.kept')}
        </label>
      </li>
      <li className={styles.step}>
        <h3 className={styles.heading}>{t('own_security.finish')}</h3>
        <form className={styles.form} noValidate onSubmit={submit}>
          <TextField
            label={t('own_security.code')}
            hint={t('own_security.code_hint')}
            value={code}
            onChange={(event) => setCode(event.target.value)}
            inputMode="numeric"
            autoComplete="one-time-code"
            spellCheck={false}
          />
          <FormAlert>{confirm.error ? problemOf(confirm.error) : null}</FormAlert>
          <div className={styles.buttons}>
            <Button type="submit" busy={confirm.isPending} disabled={!isReady}>
              {t('own_security.activate')}
            </Button>
            <Button tone="quiet" disabled={confirm.isPending} onClick={onCancel}>
              {t('own_security.cancel')}
            </Button>
          </div>
        </form>
      </li>
    </ol>
  );
  /** The server's own words are those of a login, where the code may be missing as well. */
  function problemOf(error: Error): string {
    return hasReason(error, 'SECOND_FACTOR_REQUIRED') ? t('own_security.code_wrong') : errorText(error);
  }
}
