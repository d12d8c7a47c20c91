import { useEffect } from 'react';
import type { GetQuery } from '@/lib/api/contract';
import type { ListPath } from '../../table/list';
import { useList } from '../../table/use-list';

/** All rows of a short list that cannot be searched, page after page. */
export function useAll<P extends ListPath>(path: P) {
  const rows = useList(path, {} as GetQuery<P>);
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = rows;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isError, fetchNextPage]);
  return rows;
}
