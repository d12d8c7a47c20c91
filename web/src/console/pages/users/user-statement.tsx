import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dayIn, isDay } from '@/lib/calendar';
import { timeZoneName } from '@/lib/time-zone';
import { FileButton } from '../../ui/file-button';
import { Panel } from '../../ui/panel';
import styles from './user-statement.module.css';

/** Every transaction of a month as a file, with the hashes that prove it. */
export function UserStatement({ id, name }: { id: string; name: string }) {
  const { t } = useTranslation('console');
  const input = useId();
  const [month, setMonth] = useState(() => dayIn(timeZoneName(), Date.now()).slice(0, 7));
  return (
    <Panel title={t('users.statement')}>
      <p>{t('users.statement_text')}</p>
      <div className={styles.form}>
        <div className={styles.field}>
          <label className={styles.label} htmlFor={input}>
            {t('users.statement_month')}
          </label>
          <input
            id={input}
            className={styles.input}
            type="month"
            value={month}
            onChange={(event) => setMonth(event.target.value)}
          />
        </div>
        {isDay(`${month}-01`) ? (
          <FileButton
            label={t('users.statement_download')}
            path="/admin/user/statement"
            query={{ user_id: id, month }}
            name={`statement-${name}-${month}.csv`}
            type="text/csv;charset=utf-8"
          />
        ) : null}
      </div>
    </Panel>
  );
}
