import { useTranslation } from 'react-i18next';
import { saveTextFile } from '@/lib/save-file';
import { Button } from '@/ui/button';
import { CopyButton } from '@/ui/copy-button';
import styles from './recovery-codes.module.css';

/** The codes that replace the app, with ways to keep them. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const { t } = useTranslation('console');
  const text = codes.join('\n');
  return (
    <>
      <ul className={styles.codes} aria-label={t('own_security.recovery_list')}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={styles.buttons}>
        <CopyButton wide text={text} label={t('own_security.copy_codes')} />
        <Button
          tone="secondary"
          onClick={() => saveTextFile(t('own_security.codes_file'), `${text}\n`, 'text/plain')}
        >
          {t('own_security.save_codes')}
        </Button>
      </div>
    </>
  );
}
