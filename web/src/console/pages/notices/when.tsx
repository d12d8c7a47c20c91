import { useTranslation } from 'react-i18next';
import { timeZoneName } from '@/lib/time-zone';
import { TextField } from '@/ui/field';
import type { NoticeDraft } from './draft';
import styles from './when.module.css';

type Props = {
  draft: NoticeDraft;
  /** A scheduled announcement can be moved, but not published at once. */
  mayBeNow: boolean;
  onChange: (change: Partial<NoticeDraft>) => void;
};

/** At once, or at a time in the member's own time zone. */
export function When({ draft: { when, at }, mayBeNow, onChange }: Props) {
  const { t } = useTranslation('console');
  return (
    <>
      {mayBeNow ? (
        <fieldset className={styles.choice}>
          <legend className="visually-hidden">{t('notices.when')}</legend>
          {(['now', 'later'] as const).map((value) => (
            <label key={value} className={styles.option}>
              <input
                type="radio"
                name="when"
                value={value}
                checked={when === value}
                onChange={() => onChange({ when: value })}
              />
              {t(`notices.${value}`)}
            </label>
          ))}
        </fieldset>
      ) : null}
      {when === 'later' ? (
        <TextField
          type="datetime-local"
          label={t('notices.publish_at')}
          hint={t('notices.zone', { zone: timeZoneName() })}
          value={at}
          onChange={(event) => onChange({ at: event.target.value })}
        />
      ) : null}
    </>
  );
}
