import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Page } from '@/lib/api/types';
import { LoadMore } from './load-more';
import { ErrorState, SkeletonCards } from './states';

type Props<P extends Page<unknown>> = {
  query: UseInfiniteQueryResult<InfiniteData<P>>;
  empty: ReactNode;
  skeleton?: ReactNode;
  /** Replaces the label of the retry button. */
  retryLabel?: string;
  children: (items: P['items'][number][], more: ReactNode) => ReactNode;
  /** The list scrolls in itself and has the end of the list, `more`, inside. */
  hasMoreInside?: boolean;
};

/** The four states of a paged list: pending, failed, empty, filled. */
export function QueryList<P extends Page<unknown>>(props: Props<P>) {
  const { query, empty, skeleton, retryLabel, hasMoreInside = false, children } = props;
  if (query.isPending) return skeleton ?? <SkeletonCards />;
  if (query.isError && !query.data) {
    return <ErrorState error={query.error} onRetry={() => query.refetch()} retryLabel={retryLabel} />;
  }
  const items: P['items'][number][] = query.data?.pages.flatMap((page) => page.items) ?? [];
  if (items.length === 0) return empty;
  const more = (
    <LoadMore
      hasMore={query.hasNextPage}
      isLoading={query.isFetchingNextPage}
      failed={query.isFetchNextPageError}
      onMore={() => query.fetchNextPage()}
    />
  );
  return (
    <>
      {children(items, more)}
      {hasMoreInside ? null : more}
    </>
  );
}
