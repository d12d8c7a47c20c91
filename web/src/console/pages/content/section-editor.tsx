import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LANGUAGES, type LanguageCode } from '@/i18n/languages';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import { TabPanel, Tabs } from '@/ui/tabs';
import { ClaimNote } from '../../claim/claim-note';
import { PageHead } from '../../ui/page-head';
import { coverageOf, languageName } from './coverage';
import { differencesOf } from './differences';
import { EntryList } from './entry-list';
import { Meanwhile } from './meanwhile';
import { SaveSection } from './save-section';
import styles from './section-editor.module.css';
import type { Entry, SectionSpec } from './sections';
import { useProblems } from './use-problems';

const PANEL = 'content-language';

/** A section that is being edited: what it was when that began, and what it is to become. */
export type SectionEdit = { base: readonly Entry[]; entries: readonly Entry[] };

type Props = {
  spec: SectionSpec;
  /** The section as it is on the server. */
  saved: readonly Entry[];
  /** The version of all texts in which it is so. */
  version: number;
  edit: SectionEdit;
  /** Null ends the editing. */
  onEdit: (edit: SectionEdit | null) => void;
  onBack: () => void;
};

/** One section in one language at a time, with what it needs before it can be saved. */
export function SectionEditor({ spec, saved, version, edit, onEdit, onBack }: Props) {
  const { t } = useTranslation('console');
  const [language, setLanguage] = useState<LanguageCode>('en');
  const [isChecked, setChecked] = useState(false);
  const [isSaving, setSaving] = useState(false);
  // The overview may have been scrolled far down.
  useEffect(() => {
    window.scrollTo({ top: 0 });
  }, []);
  const problems = useProblems(spec, edit.entries);
  // Somebody else has saved the section since. Both are brought together before anything is saved.
  const isStale = differencesOf(spec, edit.base, saved).length > 0;
  // The dialog has closed over what the server refused; what to decide is at the top.
  const isRefused = isStale && isSaving;
  useEffect(() => {
    if (isRefused) window.scrollTo({ top: 0 });
  }, [isRefused]);
  const isChanged = differencesOf(spec, edit.base, edit.entries).length > 0;
  return (
    <>
      <PageHead title={t(`content.sections.${spec.name}`)}>
        <Button tone="secondary" onClick={onBack}>
          {t('content.back')}
        </Button>
      </PageHead>
      <ClaimNote kind="content" id={spec.name} />
      {isStale ? (
        <Meanwhile
          spec={spec}
          saved={saved}
          edit={edit}
          onDecided={(entries) => {
            setSaving(false);
            onEdit({ base: saved, entries });
          }}
        />
      ) : null}
      <Tabs
        label={t('content.language')}
        look="chips"
        panel={PANEL}
        value={language}
        onChange={setLanguage}
        items={LANGUAGES.map(({ code, nativeName }) => ({
          value: code,
          label: t(`content.marks.${coverageOf(spec, edit.entries, code)}`, { name: nativeName }),
        }))}
      />
      <p className={styles.note}>{t('content.marks_note')}</p>
      <TabPanel id={PANEL} label={languageName(language)} className={styles.panel}>
        <EntryList
          spec={spec}
          entries={edit.entries}
          language={language}
          onChange={(entries) => onEdit({ ...edit, entries })}
        />
      </TabPanel>
      <FormAlert>{isChecked && problems.length > 0 ? problems.join(' ') : null}</FormAlert>
      <div className={styles.buttons}>
        <Button
          disabled={!isChanged || isStale}
          onClick={() => {
            setChecked(true);
            setSaving(problems.length === 0);
          }}
        >
          {t('content.review')}
        </Button>
        <Button tone="quiet" disabled={!isChanged} onClick={() => onEdit(null)}>
          {t('content.undo')}
        </Button>
        {isStale ? <span className={styles.note}>{t('content.meanwhile.first')}</span> : null}
        {isChanged ? null : <span className={styles.note}>{t('content.unchanged')}</span>}
      </div>
      {isSaving && !isStale ? (
        <SaveSection
          spec={spec}
          saved={saved}
          version={version}
          edit={edit}
          onClose={() => setSaving(false)}
          onSaved={() => {
            onEdit(null);
            onBack();
          }}
        />
      ) : null}
    </>
  );
}
