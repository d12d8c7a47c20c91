import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import { Badge } from '../../ui/badge';
import { Facts } from '../../ui/facts';
import { Panel } from '../../ui/panel';
import { Since } from './since';

type Props = { books: components['schemas']['Books']; at: string };

/** When the books were last proved and what came of it, and the newest checkpoint. */
export function BooksPanel({ books, at }: Props) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  const since = (time: string | null) =>
    time === null ? t('today.books.never') : <Since since={time} at={at} />;
  return (
    <Panel
      title={t('today.books.title')}
      actions={
        books.balanced === null ? null : (
          <Badge tone={books.balanced ? 'good' : 'bad'}>
            {t(books.balanced ? 'today.books.balanced' : 'today.books.wrong')}
          </Badge>
        )
      }
    >
      {books.state === 'unavailable' ? (
        <p>{t('today.unavailable_note')}</p>
      ) : (
        <Facts
          facts={[
            { label: t('today.books.proved'), value: since(books.proved_at) },
            {
              label: t('today.books.checkpoint'),
              value: since(books.checkpoint_at),
              note:
                books.checkpoint_size === null
                  ? undefined
                  : t('today.books.heads', {
                      count: books.checkpoint_size,
                      formatted: integer(books.checkpoint_size),
                    }),
            },
          ]}
        />
      )}
      <p>
        <Link to="/books">{t('today.books.see')}</Link>
      </p>
    </Panel>
  );
}
