import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '@/ui/card';
import { ErrorState, Skeleton } from '@/ui/states';

type Props<D> = {
  title: string;
  query: UseQueryResult<D>;
  /** About that of the content, to avoid a layout shift. */
  height: string;
  children: (data: D) => ReactNode;
};

/** A card with data of its own, which can fail without the rest of the page. */
export function QueryCard<D>({ title, query, height, children }: Props<D>) {
  const { t } = useTranslation();
  return (
    <Card title={title}>
      {query.data !== undefined ? (
        children(query.data)
      ) : query.isError ? (
        <ErrorState error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <div role="status" aria-label={t('common.loading')}>
          <Skeleton height={height} />
        </div>
      )}
    </Card>
  );
}
