import { useTranslation } from 'react-i18next';
import { htmlLangOf, LANGUAGES, type LanguageCode } from '@/i18n/languages';
import { Button } from '@/ui/button';
import { TextField } from '@/ui/field';
import { TabPanel, Tabs } from '@/ui/tabs';
import { TextArea } from '@/ui/text-area';
import { CONTENT_LIMIT, filledOf, type NoticeDraft, nameOf, TITLE_LIMIT } from './draft';
import styles from './text-editor.module.css';

const PANEL = 'notice-language';

type Props = {
  draft: NoticeDraft;
  language: LanguageCode;
  onLanguage: (language: LanguageCode) => void;
  onChange: (change: Partial<NoticeDraft>) => void;
};

/** Title and text in one language after the other. */
export function TextEditor({ draft, language, onLanguage, onChange }: Props) {
  const { t } = useTranslation('console');
  const { title, content } = draft;
  const name = nameOf(language);
  const isEnglish = language === 'en';
  return (
    <>
      <Tabs
        label={t('notices.languages')}
        look="chips"
        panel={PANEL}
        value={language}
        onChange={onLanguage}
        items={LANGUAGES.map(({ code, nativeName }) => ({
          value: code,
          label: t(`notices.marks.${filledOf(draft, code)}`, { name: nativeName }),
        }))}
      />
      <p className={styles.note}>{t('notices.marks_note')}</p>
      <TabPanel id={PANEL} label={name} className={styles.fields}>
        <TextField
          label={t('notices.notice_title')}
          lang={htmlLangOf(language)}
          optional={!isEnglish}
          value={title[language] ?? ''}
          maxLength={TITLE_LIMIT}
          autoComplete="off"
          onChange={(event) => onChange({ title: { ...title, [language]: event.target.value } })}
        />
        <TextArea
          label={t('notices.notice_content')}
          lang={htmlLangOf(language)}
          optional={!isEnglish}
          value={content[language] ?? ''}
          limit={CONTENT_LIMIT}
          rows={6}
          onChange={(event) => onChange({ content: { ...content, [language]: event.target.value } })}
        />
        {filledOf(draft, language) === 'none' ? null : (
          <div>
            <Button
              tone="quiet"
              onClick={() => {
                const { [language]: _title, ...titles } = title;
                const { [language]: _content, ...contents } = content;
                onChange({ title: titles, content: contents });
              }}
            >
              {t('notices.clear_language', { name })}
            </Button>
          </div>
        )}
      </TabPanel>
    </>
  );
}
