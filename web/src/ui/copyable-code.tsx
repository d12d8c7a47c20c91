import { CopyButton } from './copy-button';
import styles from './copyable-code.module.css';

/** An id or a hash in full, with a button that copies it. */
export function CopyableCode({ text, label }: { text: string; label: string }) {
  return (
    <span className={styles.code}>
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}
