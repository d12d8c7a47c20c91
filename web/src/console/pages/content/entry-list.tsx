import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { LanguageCode } from '@/i18n/languages';
import { newIdempotencyKey } from '@/lib/idempotency';
import { Button, IconButton } from '@/ui/button';
import { Panel } from '../../ui/panel';
import { entryTitle } from './coverage';
import { EntryFields } from './entry-fields';
import styles from './entry-list.module.css';
import { type Entry, newEntry, type SectionSpec } from './sections';

type Props = {
  spec: SectionSpec;
  entries: readonly Entry[];
  language: LanguageCode;
  onChange: (entries: readonly Entry[]) => void;
};

/** The entries of a section in their order, or its one text. */
export function EntryList({ spec, entries, language, onChange }: Props) {
  const { t } = useTranslation('console');
  const replace = (next: Entry) => onChange(entries.map((entry) => (entry.key === next.key ? next : entry)));
  const [only] = entries;
  if (spec.most === null)
    return only ? <EntryFields spec={spec} entry={only} language={language} onChange={replace} /> : null;
  return (
    <>
      {entries.length === 0 ? <p>{t('content.empty_list')}</p> : null}
      {entries.map((entry, index) => (
        <Panel
          key={entry.key}
          title={titleOf(entry, index)}
          actions={
            <div className={styles.acts}>
              <IconButton
                label={t('content.up', { name: titleOf(entry, index) })}
                disabled={index === 0}
                onClick={() => onChange(moved(entries, index, index - 1))}
              >
                <ArrowUp size={18} aria-hidden="true" />
              </IconButton>
              <IconButton
                label={t('content.down', { name: titleOf(entry, index) })}
                disabled={index === entries.length - 1}
                onClick={() => onChange(moved(entries, index, index + 1))}
              >
                <ArrowDown size={18} aria-hidden="true" />
              </IconButton>
              <IconButton
                label={t('content.remove', { name: titleOf(entry, index) })}
                onClick={() => onChange(entries.filter(({ key }) => key !== entry.key))}
              >
                <Trash2 size={18} aria-hidden="true" />
              </IconButton>
            </div>
          }
        >
          <EntryFields spec={spec} entry={entry} language={language} onChange={replace} />
        </Panel>
      ))}
      {entries.length < spec.most ? (
        <div>
          <Button
            tone="secondary"
            onClick={() => onChange([...entries, newEntry(newIdempotencyKey(), spec)])}
          >
            {t('content.add')}
          </Button>
        </div>
      ) : (
        <p>{t('content.problem.most', { most: spec.most })}</p>
      )}
    </>
  );

  function titleOf(entry: Entry, index: number): string {
    const name = entryTitle(spec, entry);
    return name === ''
      ? t('content.entry', { number: index + 1 })
      : t('content.entry_named', { number: index + 1, name });
  }
}

function moved(entries: readonly Entry[], from: number, to: number): readonly Entry[] {
  const next = [...entries];
  const [entry] = next.splice(from, 1);
  if (entry) next.splice(to, 0, entry);
  return next;
}
