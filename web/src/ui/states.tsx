import { CloudOff, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { Button } from './button';
import { cx } from './cx';
import styles from './states.module.css';

/** A grey placeholder of the content's size, to avoid a layout shift. */
export function Skeleton({ width = '100%', height = '1rem' }: { width?: string; height?: string }) {
  return <span className={styles.skeleton} style={{ inlineSize: width, blockSize: height }} />;
}

export function SkeletonCards({ count = 3, height = '7rem' }: { count?: number; height?: string }) {
  const { t } = useTranslation();
  const bars = Array.from({ length: count }, (_, index) => index);
  return (
    <div role="status" aria-label={t('common.loading')}>
      <ul style={{ display: 'grid', gap: 'var(--space-3)' }}>
        {bars.map((bar) => (
          <li key={bar} className={styles.card} style={{ minBlockSize: height }}>
            <Skeleton width="45%" height="1.125rem" />
            <Skeleton width="80%" />
            <Skeleton width="60%" />
          </li>
        ))}
      </ul>
    </div>
  );
}

type StateProps = { icon: ReactNode; title: string; text?: string; action?: ReactNode; bad?: boolean };

export function EmptyState({ icon, title, text, action, bad }: StateProps) {
  return (
    <div className={styles.state}>
      <div className={cx(styles.art, bad && styles.bad)} aria-hidden="true">
        {icon}
      </div>
      <p className={styles.title}>{title}</p>
      {text ? <p className={styles.text}>{text}</p> : null}
      {action}
    </div>
  );
}

type ErrorProps = {
  error: unknown;
  onRetry: () => void;
  /** Says what is missing. */
  title?: string | undefined;
  /** Replaces the button's label. */
  retryLabel?: string | undefined;
};

/** Shown in place of content that failed to load, with a retry button. */
export function ErrorState({ error, onRetry, title, retryLabel }: ErrorProps) {
  const { t } = useTranslation();
  const text = useErrorText()(error);
  return (
    <div role="alert">
      <EmptyState
        bad
        icon={<CloudOff size={28} />}
        title={title ?? t('error.load_title')}
        text={text}
        action={
          <Button tone="secondary" onClick={onRetry}>
            <RotateCw size={18} aria-hidden="true" />
            {retryLabel ?? t('error.retry')}
          </Button>
        }
      />
    </div>
  );
}
