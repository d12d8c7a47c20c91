import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import { Panel } from '../../ui/panel';
import { PlainTable } from '../../ui/plain-table';
import { Since } from './since';

type Props = { sources: components['schemas']['Sources']; at: string };

/** How long each source of delivery reports is silent, the longest first. */
export function SourcesPanel({ sources: { state, items, more }, at }: Props) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  return (
    <Panel title={t('today.sources.title')} actions={<Link to="/sources">{t('today.sources.see')}</Link>}>
      {state === 'unavailable' ? (
        <p>{t('today.unavailable_note')}</p>
      ) : items.length === 0 ? (
        <p>{t('today.sources.none')}</p>
      ) : (
        <PlainTable
          label={t('today.sources.title')}
          rows={items}
          rowKey={({ source }) => source}
          columns={[
            { id: 'source', header: t('today.sources.source'), cell: ({ source }) => source },
            {
              id: 'silent',
              header: t('today.sources.silent'),
              cell: ({ reported_at }) =>
                reported_at === null ? t('today.sources.long') : <Since since={reported_at} at={at} />,
            },
          ]}
        />
      )}
      {more ? <p>{t('today.sources.more', { formatted: integer(items.length) })}</p> : null}
    </Panel>
  );
}
