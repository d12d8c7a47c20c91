import { useTranslation } from 'react-i18next';
import { Moment } from '../../ui/moment';
import type { UserDetail } from './user';
import styles from './user-sessions.module.css';

export function UserSessions({ sessions }: { sessions: UserDetail['sessions'] }) {
  const { t } = useTranslation('console');
  if (sessions.length === 0) return <p>{t('users.no_sessions')}</p>;
  return (
    <ul className={styles.list}>
      {sessions.map((session) => (
        <li key={session.id} className={styles.item}>
          <span>
            {t('users.session_began')} <Moment at={session.created_at} />
          </span>
          <span>
            {t('users.session_seen')} <Moment at={session.last_seen_at} />
          </span>
          <span>
            {t('users.session_ends')} <Moment at={session.expires_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
