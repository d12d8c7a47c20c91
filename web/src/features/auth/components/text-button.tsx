import type { ReactNode } from 'react';
import styles from './text-button.module.css';

/** A button with the look of a link, for what opens on the same page. */
export function TextButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" className={styles.button} onClick={onClick}>
      {children}
    </button>
  );
}
