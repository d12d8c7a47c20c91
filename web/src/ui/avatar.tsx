import styles from './avatar.module.css';
import { cx } from './cx';

type Props = { url: string | null | undefined; initials: string; large?: boolean };

/** A user's picture or initials. Decorative, because the name stands beside it. */
export function Avatar({ url, initials, large }: Props) {
  const look = cx(styles.avatar, large && styles.large);
  return url ? (
    <img className={look} src={url} alt="" width={96} height={96} />
  ) : (
    <span className={look} aria-hidden="true">
      {initials}
    </span>
  );
}
