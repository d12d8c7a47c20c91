import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { PasskeyError } from './passkey';

/** The text of what went wrong with a passkey, in the browser or at the server. */
export function usePasskeyErrorText(): (error: Error) => string {
  const { t } = useTranslation('console');
  const errorText = useErrorText();
  return (error) =>
    error instanceof PasskeyError
      ? t(`session.passkey_fault.${error.fault}`, { host: error.host })
      : errorText(error);
}
