import { useTranslation } from 'react-i18next';
import { LongInput } from '../../act/inputs';
import styles from './public-key-input.module.css';

/** Characters of a public key in PEM, with room for comments around it. */
export const PEM_LIMIT = 2000;

export function PublicKeyInput() {
  const { t } = useTranslation('console');
  return (
    <div>
      <LongInput name="public_key" label={t('hosts.public_key')} limit={PEM_LIMIT} />
      <p className={styles.hint}>{t('hosts.public_key_hint')}</p>
    </div>
  );
}
