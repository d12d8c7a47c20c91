import { Link, useLocation } from 'react-router';
import styles from './other-form.module.css';

type Props = { question: string; to: string; action: string };

/** Leads from the login to the registration or back, and remembers the page that the visitor came for. */
export function OtherForm({ question, to, action }: Props) {
  const { state } = useLocation();
  return (
    <p className={styles.switch}>
      {question}{' '}
      <Link className={styles.link} to={to} state={state}>
        {action}
      </Link>
    </p>
  );
}
