import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useSearchParams } from 'react-router';
import { userInfoQuery } from '@/domain/user-info';
import { changeLanguage } from '@/i18n';
import { ApiError, Code } from '@/lib/api/error';
import { sessionStore, startSession } from '@/lib/session/store';
import { LogoMark } from '@/ui/logo';
import { ErrorState } from '@/ui/states';
import styles from './entry.module.css';

/** The entry point for host apps: takes token and language from the query and redirects. */
export default function EntryPage() {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const [ready, setReady] = useState(false);
  const token = query.get('token');
  const lang = query.get('lang');

  useEffect(() => {
    if (token && token !== sessionStore.get().token) startSession(token, 'host');
    // The message must appear even if the language cannot be loaded.
    changeLanguage(lang)
      .catch(() => false)
      .then(() => setReady(true));
  }, [token, lang]);

  const user = useQuery({ ...userInfoQuery, enabled: ready, meta: { opensAccount: true } });
  if (user.isSuccess && !user.isPlaceholderData) return <Navigate to="/ad-center" replace />;
  if (user.isError && hasNoAccount(user.error)) return <Navigate to={`/ad-welcome?${query}`} replace />;
  if (user.isError) {
    return (
      <>
        <h1 className="visually-hidden">{t('common.app_name')}</h1>
        <ErrorState error={user.error} onRetry={() => user.refetch()} />
      </>
    );
  }
  return (
    <div className={styles.wait} role="status">
      <LogoMark size={56} />
      <p>{t('auth.entering')}</p>
    </div>
  );
}

/** The host knows the user, but there is no ad account yet. */
function hasNoAccount(error: unknown): boolean {
  return (
    error instanceof ApiError && (error.code === Code.notAuthenticated || error.code === Code.notActivated)
  );
}
