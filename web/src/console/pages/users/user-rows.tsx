import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { type PlainColumn, PlainTable } from '../../ui/plain-table';

type Rows<Row> = {
  data: Row[] | undefined;
  isPending: boolean;
  error: Error | null;
  refetch: () => unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
};

type Props<Row> = {
  label: string;
  rows: Rows<Row>;
  columns: readonly PlainColumn<Row>[];
  rowKey: (row: Row) => string;
  empty: string;
};

/** The newest rows of a list in a panel, with a button for older ones. */
export function UserRows<Row>({ label, rows, columns, rowKey, empty }: Props<Row>) {
  const { t } = useTranslation('console');
  if (rows.isPending) return <SkeletonCards count={2} height="2.75rem" />;
  if (!rows.data) return <ErrorState error={rows.error} onRetry={() => void rows.refetch()} />;
  if (rows.data.length === 0) return <p>{empty}</p>;
  return (
    <>
      <PlainTable label={label} columns={columns} rows={rows.data} rowKey={rowKey} />
      {rows.hasNextPage ? (
        <div>
          <Button tone="secondary" busy={rows.isFetchingNextPage} onClick={() => void rows.fetchNextPage()}>
            {t('users.older')}
          </Button>
        </div>
      ) : null}
    </>
  );
}
