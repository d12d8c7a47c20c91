import { useQuery } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import { Button } from '@/ui/button';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { publicGet, staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import { Badge } from '../../ui/badge';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import { PageHead } from '../../ui/page-head';
import { Panel } from '../../ui/panel';
import { PlainTable } from '../../ui/plain-table';

type Reconciliation = components['schemas']['Reconciliation'];

/** The proof of the books: what must be zero, asked for now. */
export default function BooksPage() {
  const { t } = useTranslation('console');
  const { time } = useFormats();
  const proof = useQuery({
    queryKey: consoleKeys.one('/admin/wallet/reconcile'),
    queryFn: ({ signal }) => staffGet('/admin/wallet/reconcile', undefined, { signal }),
    // The proof reads all of the ledger, so it is made when somebody asks.
    refetchOnWindowFocus: false,
  });
  return (
    <>
      <PageHead title={t('books.title')}>
        <Button tone="secondary" busy={proof.isFetching} onClick={() => void proof.refetch()}>
          <RotateCw size={16} aria-hidden="true" />
          {t('books.prove')}
        </Button>
      </PageHead>
      <p>{t('books.intro')}</p>
      {proof.isPending ? (
        <SkeletonCards count={1} />
      ) : proof.isError ? (
        <ErrorState error={proof.error} onRetry={() => void proof.refetch()} />
      ) : (
        <Panel
          title={t('books.checks')}
          actions={
            <Badge tone={proof.data.ok ? 'good' : 'bad'}>
              {t(proof.data.ok ? 'books.ok' : 'books.wrong')}
            </Badge>
          }
        >
          <Checks proof={proof.data} />
          <p>{t('list.updated', { time: time(proof.dataUpdatedAt) })}</p>
        </Panel>
      )}
      <Checkpoint />
    </>
  );
}

/** The newest checkpoint: what of the hash chains is published and can no longer change unnoticed. */
function Checkpoint() {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  const newest = useQuery({
    queryKey: consoleKeys.checkpoint,
    queryFn: ({ signal }) => publicGet('/checkpoint/list', { limit: 1 }, { signal }),
  });
  const checkpoint = newest.data?.items[0];
  return (
    <Panel title={t('books.checkpoint')}>
      {newest.isPending ? (
        <SkeletonCards count={1} />
      ) : newest.isError ? (
        <ErrorState error={newest.error} onRetry={() => void newest.refetch()} />
      ) : checkpoint ? (
        <Facts
          facts={[
            { label: t('books.published'), value: <Moment at={checkpoint.time} /> },
            {
              label: t('books.size'),
              value: integer(checkpoint.size),
              note: t('books.size_note'),
            },
            { label: t('books.root'), value: <span className="mono">{checkpoint.root}</span> },
          ]}
        />
      ) : (
        <p>{t('books.no_checkpoint')}</p>
      )}
    </Panel>
  );
}

function Checks({ proof }: { proof: Reconciliation }) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  return (
    <PlainTable
      label={t('books.checks_table')}
      rows={proof.checks}
      rowKey={({ name }) => name}
      columns={[
        { id: 'name', header: t('books.check'), cell: ({ name }) => <span className="mono">{name}</span> },
        {
          id: 'ok',
          header: t('books.result'),
          cell: ({ ok }) => <Badge tone={ok ? 'good' : 'bad'}>{t(ok ? 'books.ok' : 'books.wrong')}</Badge>,
        },
        { id: 'figure', header: t('books.figure'), cell: ({ figure }) => integer(figure), align: 'end' },
        { id: 'detail', header: t('books.detail'), cell: ({ detail }) => detail },
      ]}
    />
  );
}
