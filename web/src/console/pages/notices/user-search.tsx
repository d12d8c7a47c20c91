import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { TextField } from '@/ui/field';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { useFoundUsers } from '../../api/use-found-users';
import type { Receiver } from './draft';
import styles from './user-search.module.css';

/** Users shown for a search. */
const MOST = 8;

type Props = { chosen: readonly Receiver[]; onAdd: (user: Receiver) => void };

/** Finds users to add. */
export function UserSearch({ chosen, onAdd }: Props) {
  const { t } = useTranslation('console');
  const [typed, setTyped] = useState('');
  const found = useFoundUsers(typed, { limit: MOST });
  const known = new Set(chosen.map(({ id }) => id));
  const users = found.users.filter(({ id }) => !known.has(id));
  return (
    <>
      <TextField
        type="search"
        label={t('notices.search')}
        hint={t('notices.search_hint')}
        value={typed}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
      />
      {!found.isAsked ? null : found.isPending ? (
        <SkeletonCards count={1} height="2.5rem" />
      ) : found.error ? (
        <ErrorState error={found.error} onRetry={found.retry} />
      ) : users.length === 0 ? (
        <p role="status">{t(found.users.length === 0 ? 'notices.found_none' : 'notices.found_chosen')}</p>
      ) : (
        <ul className={styles.found} aria-label={t('notices.found')}>
          {users.map(({ id, username, nickname }) => (
            <li key={id} className={styles.user}>
              <span className={styles.name}>
                {username} <span className={styles.nickname}>{nickname}</span>
              </span>
              <Button
                tone="secondary"
                aria-label={t('notices.add', { name: username })}
                onClick={() => onAdd({ id, name: username })}
              >
                {t('notices.add_short')}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
