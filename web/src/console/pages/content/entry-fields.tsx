import { useTranslation } from 'react-i18next';
import { htmlLangOf, type LanguageCode } from '@/i18n/languages';
import { FieldBox, FieldFrame, TextField } from '@/ui/field';
import { TextArea } from '@/ui/text-area';
import styles from './entry-fields.module.css';
import type { Entry, PlainFieldName, SectionSpec, TextFieldSpec } from './sections';

/** Bytes of an address at most. */
const URL_LIMIT = 2_048;

type Props = {
  spec: SectionSpec;
  entry: Entry;
  language: LanguageCode;
  onChange: (entry: Entry) => void;
};

/** The texts of an entry in one language, and what it has in no language. */
export function EntryFields({ spec, entry, language, onChange }: Props) {
  return (
    <div className={styles.fields}>
      {spec.texts.map((field) => (
        <TextOf key={field.name} field={field} entry={entry} language={language} onChange={onChange} />
      ))}
      {spec.plain.map((name) => (
        <PlainOf
          key={name}
          name={name}
          value={entry.plain[name] ?? ''}
          onChange={(value) => onChange({ ...entry, plain: { ...entry.plain, [name]: value } })}
        />
      ))}
    </div>
  );
}

type TextProps = Omit<Props, 'spec'> & { field: TextFieldSpec };

/** One text in one language, with the English one beside it for other languages. */
function TextOf({ field, entry, language, onChange }: TextProps) {
  const { t } = useTranslation('console');
  const { name, limit, isLong, isOptional } = field;
  const texts = entry.texts[name] ?? {};
  const english = texts.en ?? '';
  const shared = {
    label: t(`content.fields.${name}`),
    lang: htmlLangOf(language),
    value: texts[language] ?? '',
    optional: language !== 'en' || isOptional === true,
  };
  const change = (value: string) =>
    onChange({ ...entry, texts: { ...entry.texts, [name]: { ...texts, [language]: value } } });
  return (
    <div className={styles.field}>
      {isLong ? (
        <TextArea {...shared} limit={limit} rows={8} onChange={(event) => change(event.target.value)} />
      ) : (
        <TextField
          {...shared}
          maxLength={limit}
          autoComplete="off"
          onChange={(event) => change(event.target.value)}
        />
      )}
      {language === 'en' || english === '' ? null : (
        <details className={styles.english}>
          <summary className={styles.summary}>{t('content.english')}</summary>
          <p className={styles.text} lang="en">
            {english}
          </p>
        </details>
      )}
    </div>
  );
}

type PlainProps = { name: PlainFieldName; value: string; onChange: (value: string) => void };

function PlainOf({ name, value, onChange }: PlainProps) {
  const { t } = useTranslation('console');
  const label = t(`content.fields.${name}`);
  if (name === 'type') {
    return (
      <FieldFrame label={label}>
        {(wiring) => (
          <FieldBox>
            <select
              {...wiring}
              className={styles.select}
              value={value}
              onChange={(event) => onChange(event.target.value)}
            >
              <option value="1">{t('content.types.inside')}</option>
              <option value={value === '1' ? '2' : value}>{t('content.types.outside')}</option>
            </select>
          </FieldBox>
        )}
      </FieldFrame>
    );
  }
  return (
    <TextField
      label={label}
      hint={t(`content.hints.${name}`)}
      value={value}
      autoComplete="off"
      spellCheck={false}
      optional={name !== 'url'}
      inputMode={name === 'url' ? 'url' : 'decimal'}
      maxLength={URL_LIMIT}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
