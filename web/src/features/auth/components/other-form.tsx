import { Link, useLocation } from 'react-router';
import styles from './other-form.module.css';

type Props = { question: string; to: string; action: string };

/** Links login and registration, and keeps the page that the visitor wanted. */
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
