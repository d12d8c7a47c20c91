import { languagesThat, type NoticeDraft, nameOf } from './draft';
import { PhonePreview } from './phone-preview';
import styles from './previews.module.css';

/** The announcement on a phone in each language that is written. */
export function Previews({ draft }: { draft: NoticeDraft }) {
  return (
    <div className={styles.previews}>
      {languagesThat(draft, 'full').map((code) => (
        <section key={code} className={styles.preview} aria-label={nameOf(code)}>
          <h3 className={styles.language}>{nameOf(code)}</h3>
          <PhonePreview draft={draft} language={code} />
        </section>
      ))}
    </div>
  );
}
