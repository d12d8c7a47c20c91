import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button';

type Props = { hasMore: boolean; isLoading: boolean; failed: boolean; onMore: () => void };

/** The end of a paged list. Loads more on scroll, or by its button. */
export function LoadMore({ hasMore, isLoading, failed, onMore }: Props) {
  const { t } = useTranslation();
  const mark = useRef<HTMLDivElement>(null);
  const latest = useRef(onMore);
  latest.current = onMore;

  useEffect(() => {
    const element = mark.current;
    // After a failure only the button retries, to avoid an endless loop.
    if (!element || !hasMore || isLoading || failed) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) latest.current();
      },
      { rootMargin: '240px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [hasMore, isLoading, failed]);

  if (!hasMore) return null;
  return (
    <div ref={mark} style={{ display: 'grid', justifyItems: 'center', paddingBlock: 'var(--space-4)' }}>
      <Button tone="quiet" busy={isLoading} onClick={onMore}>
        {t(failed ? 'error.retry' : 'common.load_more')}
      </Button>
    </div>
  );
}
