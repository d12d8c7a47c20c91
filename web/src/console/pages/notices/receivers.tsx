import { UserLink } from '../../ui/user-link';
import type { Receiver } from './draft';
import styles from './receivers.module.css';

/** The chosen users by name, as many as there are. */
export function Receivers({ users }: { users: readonly Receiver[] }) {
  return (
    <ul className={styles.receivers}>
      {users.map(({ id, name }) => (
        <li key={id}>
          <UserLink id={id} name={name} />
        </li>
      ))}
    </ul>
  );
}
