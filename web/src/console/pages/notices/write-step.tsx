import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { LanguageCode } from '@/i18n/languages';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import { Select } from '@/ui/select';
import { Panel } from '../../ui/panel';
import {
  CATEGORIES,
  filledOf,
  languagesThat,
  type NoticeDraft,
  nameOf,
  problemOfTime,
  shownLanguage,
  USERS_LIMIT,
} from './draft';
import { type AnnouncementDetail, changesOf } from './edit';
import { Fallbacks } from './fallbacks';
import { PhonePreview } from './phone-preview';
import { Recipients } from './recipients';
import { TextEditor } from './text-editor';
import type { Draft } from './use-draft';
import { When } from './when';
import styles from './write-step.module.css';

type Props = {
  draft: Draft;
  /** The announcement that is edited. */
  edited?: AnnouncementDetail;
  /** Above the form. */
  children?: ReactNode;
  onReview: () => void;
};

export function WriteStep({ draft, edited, children, onReview }: Props) {
  const { t } = useTranslation('console');
  const [language, setLanguage] = useState<LanguageCode>('en');
  const [isChecked, setChecked] = useState(false);
  const { value, change, drop } = draft;
  const problems = useProblems(value, edited);
  return (
    <div className={styles.columns}>
      {children ? <div className={styles.foot}>{children}</div> : null}
      <div className={styles.column}>
        <Panel title={t('notices.category')}>
          <Select
            label={t('notices.category')}
            value={value.category}
            options={CATEGORIES.map((name) => ({ value: name, label: t(`notices.categories.${name}`) }))}
            onChange={(name) =>
              change({ category: CATEGORIES.find((known) => known === name) ?? value.category })
            }
          />
        </Panel>
        <Panel title={t('notices.recipients')}>
          <Recipients draft={value} onChange={change} />
        </Panel>
        <Panel title={t('notices.when')}>
          <When draft={value} mayBeNow={edited === undefined} onChange={change} />
        </Panel>
        <Panel title={t('notices.text')}>
          <TextEditor draft={value} language={language} onLanguage={setLanguage} onChange={change} />
        </Panel>
      </div>
      <div className={styles.column}>
        <Panel title={t('notices.preview')}>
          <p className={styles.note}>{t('notices.preview_of', { language: nameOf(language) })}</p>
          <PhonePreview draft={value} language={shownLanguage(value, language)} />
        </Panel>
        <Panel title={t('notices.fallback')}>
          <Fallbacks draft={value} />
        </Panel>
      </div>
      <div className={styles.foot}>
        <FormAlert>{isChecked && problems.length > 0 ? problems.join(' ') : null}</FormAlert>
        <div className={styles.buttons}>
          <Button
            onClick={() => {
              setChecked(true);
              if (problems.length === 0) return onReview();
              // What is missing there is seen where it is typed.
              if (filledOf(value, 'en') !== 'full') setLanguage('en');
            }}
          >
            {t('notices.to_review')}
          </Button>
          <Button tone="quiet" onClick={drop}>
            {t(edited ? 'notices.undo' : 'notices.discard')}
          </Button>
        </div>
        <p className={styles.note}>{t(edited ? 'notices.kept_edit' : 'notices.kept')}</p>
      </div>
    </div>
  );
}

/** What must be filled in before the review. A language with half of its texts would mix two in one announcement. */
function useProblems(draft: NoticeDraft, edited: AnnouncementDetail | undefined): string[] {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  const time = problemOfTime(draft, Date.now());
  const isUnchanged =
    edited !== undefined &&
    time === null &&
    Object.keys(changesOf({ base: edited, draft, theirs: [] })).length === 0;
  const half = languagesThat(draft, 'half').filter((code) => code !== 'en');
  return [
    filledOf(draft, 'en') === 'full' ? null : t('notices.missing.en'),
    half.length === 0 ? null : t('notices.missing.half', { languages: half.map(nameOf).join(', ') }),
    draft.to === 'chosen' && draft.users.length === 0 ? t('notices.missing.nobody') : null,
    draft.to === 'chosen' && draft.users.length > USERS_LIMIT
      ? t('notices.missing.many', { limit: integer(USERS_LIMIT) })
      : null,
    time === null ? null : t(`notices.missing.${time}`),
    isUnchanged ? t('notices.missing.nothing') : null,
  ].filter((problem) => problem !== null);
}
