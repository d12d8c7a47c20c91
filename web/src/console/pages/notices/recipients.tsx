import { X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { IconButton } from '@/ui/button';
import { Audience } from './audience';
import type { NoticeDraft, Receiver } from './draft';
import styles from './recipients.module.css';
import { UserSearch } from './user-search';

type Props = {
  draft: NoticeDraft;
  onChange: (change: Partial<NoticeDraft>) => void;
};

/** All users, or some that are searched for. */
export function Recipients({ draft, onChange }: Props) {
  const { t } = useTranslation('console');
  const { to, users } = draft;
  return (
    <>
      <fieldset className={styles.choice}>
        <legend className="visually-hidden">{t('notices.recipients')}</legend>
        {(['all', 'chosen'] as const).map((value) => (
          <label key={value} className={styles.option}>
            <input
              type="radio"
              name="recipients"
              value={value}
              checked={to === value}
              onChange={() => onChange({ to: value })}
            />
            {t(`notices.${value}`)}
          </label>
        ))}
      </fieldset>
      {to === 'all' ? (
        <>
          <p className={styles.note}>{t('notices.all_note')}</p>
          <Audience />
        </>
      ) : (
        <>
          <UserSearch chosen={users} onAdd={(user) => onChange({ users: [...users, user] })} />
          <Chosen
            users={users}
            onRemove={(id) => onChange({ users: users.filter((user) => user.id !== id) })}
          />
        </>
      )}
    </>
  );
}

type ChosenProps = { users: readonly Receiver[]; onRemove: (id: string) => void };

function Chosen({ users, onRemove }: ChosenProps) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  const summary = t('notices.chosen_count', { count: users.length, formatted: integer(users.length) });
  return (
    <>
      <p role="status">{summary}</p>
      {users.length === 0 ? null : (
        <ul className={styles.users} aria-label={summary}>
          {users.map(({ id, name }) => (
            <li key={id} className={styles.user}>
              {name}
              <IconButton label={t('notices.remove', { name })} onClick={() => onRemove(id)}>
                <X size={16} aria-hidden="true" />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
