import { useTranslation } from 'react-i18next';
import { LinkButton } from '@/ui/button';
import { useMay } from '../../session/use-staff';
import { Badge } from '../../ui/badge';
import { Panel } from '../../ui/panel';
import { entryTitle, lackingLanguages, languageName } from './coverage';
import styles from './section-summary.module.css';
import type { Entry, SectionSpec } from './sections';

/** Characters of a text that the summary shows. */
const BEGINNING = 240;

type Props = { spec: SectionSpec; entries: readonly Entry[]; isEdited: boolean };

/** What a section has, and in which languages. */
export function SectionSummary({ spec, entries, isEdited }: Props) {
  const { t } = useTranslation('console');
  const may = useMay();
  const name = t(`content.sections.${spec.name}`);
  const titles = entries.map((entry) => ({ key: entry.key, title: entryTitle(spec, entry) }));
  const isEmpty = titles.every(({ title }) => title === '');
  const lacking = lackingLanguages(spec, entries);
  return (
    <Panel
      title={name}
      actions={
        may('POST /admin/content') ? (
          <LinkButton
            tone="secondary"
            to={`/content?section=${spec.name}`}
            aria-label={t('content.edit_one', { name })}
          >
            {t('content.edit')}
          </LinkButton>
        ) : null
      }
    >
      <div className={styles.marks}>
        {isEdited ? <Badge tone="waiting">{t('content.edited')}</Badge> : null}
        {spec.most === null || isEmpty ? null : (
          <Badge>{t('content.entries', { count: entries.length })}</Badge>
        )}
        {isEmpty ? null : lacking.length === 0 ? (
          <Badge tone="good">{t('content.complete')}</Badge>
        ) : (
          <Badge tone="waiting">{t('content.missing', { count: lacking.length })}</Badge>
        )}
      </div>
      {isEmpty ? (
        <p className={styles.text}>{t('content.none_shown')}</p>
      ) : spec.most === null ? (
        <p className={styles.text}>{beginningOf(titles[0]?.title ?? '')}</p>
      ) : (
        <ol className={styles.titles}>
          {titles.map(({ key, title }) => (
            <li key={key}>{title}</li>
          ))}
        </ol>
      )}
      {isEmpty || lacking.length === 0 ? null : (
        <p className={styles.text}>
          {t('content.missing_names', { languages: lacking.map(languageName).join(', ') })}
        </p>
      )}
    </Panel>
  );
}

function beginningOf(text: string): string {
  const characters = [...text];
  return characters.length > BEGINNING ? `${characters.slice(0, BEGINNING).join('')}…` : text;
}
