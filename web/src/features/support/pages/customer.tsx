import { ExternalLink, Hourglass, ShieldX } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { contactAddress } from '@/domain/service/address';
import { EntryTimes } from '@/domain/service/entry-times';
import { useServiceContacts } from '@/domain/service/service-entries';
import { useService } from '@/domain/service/service-store';
import { useCaller } from '@/domain/service/use-caller';
import type { ServiceEntry } from '@/lib/api/types';
import { useOnline } from '@/lib/online';
import { Button, ButtonAnchor, LinkButton } from '@/ui/button';
import { CopyButton } from '@/ui/copy-button';
import { EmptyState, ErrorState, Skeleton } from '@/ui/states';
import { decideFrame } from '../customer-rules';
import styles from './customer.module.css';

/** After this time the frame may have failed, which it cannot report. */
const SLOW_MS = 6_000;

/** A contact's page in a frame. */
export default function CustomerPage() {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const service = useService();
  const { entries, isKnown, isFetching, error, retry } = useServiceContacts();
  const caller = useCaller(query.get('subject') ?? '');
  const wanted = query.get('url');
  const entry = entries.find(({ url }) => url === wanted);
  const address = entry ? contactAddress(entry.url, caller) : wanted;
  const frame = decideFrame(address, entries, window.location.origin);

  // Until then the address may lack the user's name, and a frame with another address starts anew.
  if (!isKnown) return <Loading />;
  if (frame.allowed) return <Frame key={frame.src} src={frame.src} sandbox={frame.sandbox} entry={entry} />;
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
        <div className={styles.actions}>
          <Button onClick={() => service.open()}>{t('customer.contacts')}</Button>
          <LinkButton to="/ad-center" tone="secondary" replace>
            {t('not_found.home')}
          </LinkButton>
        </div>
      }
    />
  );
}

type FrameProps = { src: string; sandbox: string; entry: ServiceEntry | undefined };

function Frame({ src, sandbox, entry }: FrameProps) {
  const { t } = useTranslation();
  const isOnline = useOnline();
  const [isLoaded, setIsLoaded] = useState(false);
  const [isSlow, setIsSlow] = useState(false);

  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);

  return (
    <div className={styles.page} aria-busy={!isLoaded}>
      {/* Browsers report their own page of an error as loaded, so the ways around it are always there. */}
      <div className={styles.bar}>
        {entry ? <EntryTimes entry={entry} /> : null}
        <p className={styles.ways}>
          <span className={styles.nothing}>{t('customer.nothing')}</span>
          <a className={styles.way} href={src} target="_blank" rel="noopener noreferrer">
            {t('customer.open_outside')}
            <ExternalLink size={16} aria-hidden="true" />
          </a>
          <CopyButton text={src} label={t('customer.copy')} />
        </p>
      </div>
      <div className={styles.content}>
        <iframe
          className={styles.frame}
          title={t('title.customer')}
          src={src}
          sandbox={sandbox}
          referrerPolicy="no-referrer"
          onLoad={() => setIsLoaded(true)}
        />
        {isLoaded ? null : isSlow || !isOnline ? <Slow src={src} /> : <Loading />}
      </div>
    </div>
  );
}

/** Goes as soon as the page is there after all. */
function Slow({ src }: { src: string }) {
  const { t } = useTranslation();
  return (
    <div className={styles.loading} role="alert">
      <EmptyState
        bad
        icon={<Hourglass size={28} />}
        title={t('customer.slow')}
        text={t('customer.slow_text')}
        action={
          <div className={styles.actions}>
            <ButtonAnchor href={src} target="_blank" rel="noopener noreferrer">
              <ExternalLink size={18} aria-hidden="true" />
              {t('customer.open_outside')}
            </ButtonAnchor>
            <CopyButton text={src} label={t('customer.copy')} wide />
          </div>
        }
      />
    </div>
  );
}

function Loading() {
  const { t } = useTranslation();
  return (
    <div className={styles.loading} role="status" aria-label={t('common.loading')}>
      <Skeleton width="55%" height="3rem" />
      <Skeleton width="70%" height="3rem" />
      <Skeleton width="40%" height="3rem" />
    </div>
  );
}
