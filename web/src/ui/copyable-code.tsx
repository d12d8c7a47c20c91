import { CopyButton } from './copy-button';
import styles from './copyable-code.module.css';

type Props = {
  text: string;
  /** Shown in place of a long text. */
  shown?: string;
  label: string;
};

/** An id or a hash, with a button that copies it in full. */
export function CopyableCode({ text, shown = text, label }: Props) {
  return (
    <span className={styles.code}>
      <code>{shown}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}
