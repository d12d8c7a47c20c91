import { useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Sheet } from '@/ui/sheet';
import { EmptyState, ErrorState, Skeleton } from '@/ui/states';
import { useQueryPatch } from '@/ui/use-query-patch';
import { entryQuery } from '../api/queries';
import { EntryFacts } from './entry-sheet';

const ENTRY = 'entry';

/** The movement that the address names, as notices do. */
export function LinkedEntry() {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const patch = useQueryPatch();
  const id = query.get(ENTRY);
  return (
    <Sheet isOpen={id !== null} onClose={() => patch({ [ENTRY]: null })} title={t('flow.detail_title')}>
      {id === null ? null : <Found key={id} id={id} />}
    </Sheet>
  );
}

function Found({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data: entry, error, refetch } = useQuery(entryQuery(id));
  if (entry) return <EntryFacts entry={entry} />;
  if (error) return <ErrorState error={error} onRetry={() => refetch()} />;
  if (entry === undefined) return <Skeleton height="20rem" />;
  return (
    <EmptyState
      icon={<SearchX size={28} />}
      title={t('funds.entry_not_found')}
      text={t('funds.entry_not_found_text')}
    />
  );
}
