import { useTranslation } from 'react-i18next';
import { htmlLangOf, type LanguageCode } from '@/i18n/languages';
import { Facts } from '../../ui/facts';
import { entryTitle } from './coverage';
import { writtenOf } from './request';
import styles from './section-text.module.css';
import type { Entry, SectionSpec } from './sections';

type Props = { spec: SectionSpec; entries: readonly Entry[]; language: LanguageCode };

/** A section in one language, to be read. */
export function SectionText({ spec, entries, language }: Props) {
  const { t } = useTranslation('console');
  const name = t(`content.sections.${spec.name}`);
  // Long texts need the whole width. Their entries have nothing else than texts.
  const isLong = spec.plain.length === 0;
  return (
    <section className={styles.section} aria-label={name}>
      <h3 className={styles.name}>{name}</h3>
      {entries.length === 0 ? <p>{t('content.none_shown')}</p> : null}
      {entries.map((entry) =>
        isLong ? (
          <LongText
            key={entry.key}
            label={spec.most === null ? name : entryTitle(spec, entry)}
            text={spec.texts
              .map(({ name: field }) => writtenOf(entry.texts[field])[language] ?? t('content.save.none'))
              .join('\n')}
            language={language}
          />
        ) : (
          <Facts
            key={entry.key}
            facts={[
              ...spec.texts.map(({ name: field }) => ({
                label: t(`content.fields.${field}`),
                value: writtenOf(entry.texts[field])[language] ?? t('content.save.none'),
              })),
              ...spec.plain
                .filter((field) => field !== 'type')
                .map((field) => ({
                  label: t(`content.fields.${field}`),
                  value: entry.plain[field] || t('content.save.none'),
                })),
            ]}
          />
        ),
      )}
    </section>
  );
}

type LongTextProps = { label: string; text: string; language: LanguageCode };

function LongText({ label, text, language }: LongTextProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: no fieldset, and no landmark inside the section's
    <div role="group" aria-label={label} tabIndex={0} className={styles.text} lang={htmlLangOf(language)}>
      {text}
    </div>
  );
}
