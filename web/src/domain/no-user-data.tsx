import { useTranslation } from 'react-i18next';
import { ErrorState } from '@/ui/states';

/** Shown in place of what needs the user's data, which could not be loaded. */
export function NoUserData({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation();
  return <ErrorState title={t('error.no_user_data')} error={error} onRetry={onRetry} />;
}
