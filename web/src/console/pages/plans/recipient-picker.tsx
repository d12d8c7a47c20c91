import { Plus, X } from 'lucide-react';
import { type Ref, useEffect, useId, useState } from 'react';
import { useController, useFormContext } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { useFoundUsers } from '../../api/use-found-users';
import { type PushValues, USERS_LIMIT } from './push-values';
import styles from './recipient-picker.module.css';

/** Users shown of a search: enough to tell that it must be narrower. */
const FOUND = 12;
const LONGEST_SEARCH = 100;
/** A search is sent when nobody has typed for this long. */
const TYPING_MS = 250;

type Picked = PushValues['users'][number];

/** Users found by a search, one after the other. */
export function RecipientPicker() {
  const { t } = useTranslation('console');
  const [search, setSearch] = useState('');
  const { setValue, clearErrors } = useFormContext<PushValues>();
  const { field, fieldState } = useController<PushValues, 'users'>({ name: 'users' });
  const picked = field.value;
  const pick = (users: Picked[]) => {
    setValue('users', users, { shouldDirty: true });
    clearErrors('users');
  };
  return (
    <fieldset className={styles.picker}>
      <legend className={styles.legend}>{t('plans.users')}</legend>
      <UserSearch inputRef={field.ref} isInvalid={fieldState.invalid} onSearch={setSearch} />
      {search === '' ? null : (
        <Found search={search} picked={picked} onPick={(user) => pick([...picked, user])} />
      )}
      <p className={styles.note} role="status">
        {t('plans.picked', { count: picked.length })}
      </p>
      <ul className={styles.picked} aria-label={t('plans.picked_label')}>
        {picked.map((user) => (
          <li key={user.id}>
            <button
              type="button"
              className={styles.user}
              aria-label={t('plans.remove_user', { name: user.username })}
              onClick={() => pick(picked.filter(({ id }) => id !== user.id))}
            >
              {user.username}
              <X size={16} aria-hidden="true" />
            </button>
          </li>
        ))}
      </ul>
      {fieldState.invalid ? (
        <p role="alert" className={styles.error}>
          {t('plans.no_users')}
        </p>
      ) : null}
    </fieldset>
  );
}

type UserSearchProps = {
  /** A form without users puts the focus here. */
  inputRef: Ref<HTMLInputElement>;
  isInvalid: boolean;
  onSearch: (search: string) => void;
};

/** A text field of its own, since Enter in it searches and does not send the form around it. */
function UserSearch({ inputRef, isInvalid, onSearch }: UserSearchProps) {
  const { t } = useTranslation('console');
  const id = useId();
  const [typed, setTyped] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => onSearch(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, onSearch]);
  return (
    <>
      <label className={styles.note} htmlFor={id}>
        {t('plans.find_users')}
      </label>
      <input
        id={id}
        ref={inputRef}
        aria-invalid={isInvalid || undefined}
        className={styles.search}
        type="search"
        maxLength={LONGEST_SEARCH}
        value={typed}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          onSearch(typed.trim());
        }}
      />
    </>
  );
}

type FoundProps = { search: string; picked: readonly Picked[]; onPick: (user: Picked) => void };

function Found({ search, picked, onPick }: FoundProps) {
  const { t } = useTranslation('console');
  const errorText = useErrorText();
  const { users, hasMore, isPending, error } = useFoundUsers(search, { limit: FOUND });
  if (isPending) return <p className={styles.note}>{t('plans.searching')}</p>;
  if (error) {
    return (
      <p role="alert" className={styles.error}>
        {errorText(error)}
      </p>
    );
  }
  const left = users.filter(({ id }) => picked.every((user) => user.id !== id));
  if (left.length === 0) {
    return <p className={styles.note}>{t(users.length === 0 ? 'plans.nobody' : 'plans.all_picked')}</p>;
  }
  return (
    <>
      <ul className={styles.found} aria-label={t('plans.found')}>
        {left.map(({ id, username, nickname }) => (
          <li key={id}>
            <button
              type="button"
              className={styles.user}
              aria-label={t('plans.add_user', { name: username })}
              disabled={picked.length >= USERS_LIMIT}
              onClick={() => onPick({ id, username })}
            >
              <Plus size={16} aria-hidden="true" />
              {nickname && nickname !== username ? `${username} · ${nickname}` : username}
            </button>
          </li>
        ))}
      </ul>
      {hasMore ? <p className={styles.note}>{t('plans.narrow')}</p> : null}
    </>
  );
}
