import { ExternalLink, ShieldX } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useServiceContacts } from '@/domain/service/service-entries';
import { useService } from '@/domain/service/service-store';
import { Button, LinkButton } from '@/ui/button';
import { EmptyState, ErrorState, Skeleton } from '@/ui/states';
import { decideFrame } from '../customer-rules';
import styles from './customer.module.css';

/** After this time the frame may have failed, which it cannot report, so the page offers a link. */
const SLOW_MS = 8_000;

/** A contact's page in a frame. */
export default function CustomerPage() {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const service = useService();
  const { entries, isFetching, error, retry } = useServiceContacts();
  const frame = decideFrame(query.get('url'), entries, window.location.origin);

  if (frame.allowed) return <Frame key={frame.src} src={frame.src} sandbox={frame.sandbox} />;
  // The pending list may contain the page.
  if (isFetching) return <Loading />;
  if (error) return <ErrorState error={error} onRetry={retry} />;
  return (
    <EmptyState
      bad
      icon={<ShieldX size={28} />}
      title={t('customer.refused')}
      text={t('customer.refused_text')}
      action={
        <div className={styles.ways}>
          <Button onClick={() => service.open()}>{t('customer.contacts')}</Button>
          <LinkButton to="/ad-center" tone="secondary" replace>
            {t('not_found.home')}
          </LinkButton>
        </div>
      }
    />
  );
}

function Frame({ src, sandbox }: { src: string; sandbox: string }) {
  const { t } = useTranslation();
  const [loaded, setLoaded] = useState(false);
  const [slow, setSlow] = useState(false);

  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);

  return (
    <div className={styles.page} aria-busy={!loaded}>
      <iframe
        className={styles.frame}
        title={t('title.customer')}
        src={src}
        sandbox={sandbox}
        referrerPolicy="no-referrer"
        onLoad={() => setLoaded(true)}
      />
      {loaded ? null : (
        <Loading>
          {slow ? (
            <p className={styles.slow}>
              {t('customer.slow')}
              <a className={styles.outside} href={src} target="_blank" rel="noopener noreferrer">
                <ExternalLink size={18} aria-hidden="true" />
                {t('customer.open_outside')}
              </a>
            </p>
          ) : null}
        </Loading>
      )}
    </div>
  );
}

function Loading({ children }: { children?: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div className={styles.loading} role="status" aria-label={t('common.loading')}>
      <Skeleton width="55%" height="3rem" />
      <Skeleton width="70%" height="3rem" />
      <Skeleton width="40%" height="3rem" />
      {children}
    </div>
  );
}
