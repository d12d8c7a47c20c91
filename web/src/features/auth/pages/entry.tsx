import { useMutation, useQuery } from '@tanstack/react-query';
import { TimerOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useSearchParams } from 'react-router';
import { userInfoQuery } from '@/domain/user-info';
import { changeLanguage } from '@/i18n';
import { ApiError, ASSERTION_REJECTED, Code, hasReason } from '@/lib/api/error';
import { closeHost, hasHost } from '@/lib/host';
import { openedBy, sessionStore, startSession } from '@/lib/session/store';
import { Button } from '@/ui/button';
import { LogoMark } from '@/ui/logo';
import { EmptyState, ErrorState } from '@/ui/states';
import { enterFromHost } from '../api/calls';
import { isAssertion, signatureOf, welcomePath } from '../rules';
import { useSessionStart } from '../use-session-start';
import styles from './entry.module.css';

/** The entry point for host apps: takes a token or an assertion and the language from the query, and redirects. */
export default function EntryPage() {
  const [query] = useSearchParams();
  const token = query.get('token');
  const isReady = useLanguage(query.get('lang'));
  if (token && isAssertion(token)) return <AssertionEntry key={token} assertion={token} isReady={isReady} />;
  return <TokenEntry token={token} isReady={isReady} />;
}

/** `isReady`: the language is known. */
type Ready = { isReady: boolean };

function TokenEntry({ token, isReady }: Ready & { token: string | null }) {
  useEffect(() => {
    if (token && token !== sessionStore.get().token) startSession(token, 'host');
  }, [token]);
  return <Arrival isReady={isReady} />;
}

/** Opens the session of an assertion. A reload of a link that has opened the current session continues with it. */
function AssertionEntry({ assertion, isReady }: Ready & { assertion: string }) {
  const start = useSessionStart();
  const signature = signatureOf(assertion);
  const [isOpen, setOpen] = useState(() => openedBy() === signature);
  const { mutate, error } = useMutation({
    mutationFn: enterFromHost,
    meta: { inline: true },
    onSuccess: (session) => {
      start(session, signature);
      setOpen(true);
    },
  });
  useEffect(() => {
    if (!isOpen) mutate(assertion);
  }, [isOpen, assertion, mutate]);

  if (isOpen) return <Arrival isReady={isReady} />;
  if (!error || !isReady) return <Waiting />;
  if (hasReason(error, ASSERTION_REJECTED)) return <LinkExpired />;
  return <Failure error={error} onRetry={() => mutate(assertion)} />;
}

/** Leads the user of the stored session on. */
function Arrival({ isReady }: Ready) {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const user = useQuery({ ...userInfoQuery, enabled: isReady, meta: { opensAccount: true } });
  if (isReady && user.isSuccess && !user.isPlaceholderData) {
    const isOpened = user.data.state !== 'not_activated';
    return <Navigate to={isOpened ? '/ad-center' : welcomePath(query)} replace />;
  }
  if (user.isError && hasNoAccount(user.error)) return <Navigate to={welcomePath(query)} replace />;
  return user.isError ? (
    <Failure title={t('error.no_user_data')} error={user.error} onRetry={() => user.refetch()} />
  ) : (
    <Waiting />
  );
}

/** Switches to the language of the entry. True once that is done. */
function useLanguage(lang: string | null): boolean {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    // The message must appear even if the language cannot be loaded.
    changeLanguage(lang)
      .catch(() => false)
      .then(() => setReady(true));
  }, [lang]);
  return isReady;
}

function Waiting() {
  const { t } = useTranslation();
  return (
    <div className={styles.wait} role="status">
      <LogoMark size={56} />
      <p>{t('auth.entering')}</p>
    </div>
  );
}

type FailureProps = { title?: string; error: unknown; onRetry: () => void };

function Failure({ title, error, onRetry }: FailureProps) {
  const { t } = useTranslation();
  return (
    <>
      <h1 className="visually-hidden">{t('common.app_name')}</h1>
      <ErrorState title={title} error={error} onRetry={onRetry} />
    </>
  );
}

function LinkExpired() {
  const { t } = useTranslation();
  return (
    <>
      <h1 className="visually-hidden">{t('common.app_name')}</h1>
      <div role="alert">
        <EmptyState
          icon={<TimerOff size={28} />}
          title={t('auth.link_expired')}
          text={t('auth.link_expired_text')}
          action={hasHost() ? <Button onClick={closeHost}>{t('common.close')}</Button> : null}
        />
      </div>
    </>
  );
}

/** The host knows the user, but there is no ad account yet. */
function hasNoAccount(error: unknown): boolean {
  return (
    error instanceof ApiError && (error.code === Code.notAuthenticated || error.code === Code.notActivated)
  );
}
