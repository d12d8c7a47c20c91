import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { hasReason } from '@/lib/api/error';
import { PasskeyError } from './passkey';

/** The text of what went wrong with a passkey, in the browser or at the server. */
export function usePasskeyErrorText(): (error: Error) => string {
  const { t } = useTranslation('console');
  const errorText = useErrorText();
  return (error) => {
    if (error instanceof PasskeyError) return t(`session.passkey_fault.${error.fault}`, { host: error.host });
    // The server's words are those of a login by password.
    if (hasReason(error, 'BAD_CREDENTIALS')) return t('session.passkey_fault.unknown');
    if (hasReason(error, 'SECOND_FACTOR_REQUIRED')) return t('session.passkey_fault.unknown');
    if (hasReason(error, 'UNAVAILABLE')) return t('session.passkey_fault.unavailable');
    return errorText(error);
  };
}
