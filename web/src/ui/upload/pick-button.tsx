import type { ReactNode } from 'react';
import { IMAGE_TYPES } from '@/lib/image';
import styles from './pick-button.module.css';

type Props = {
  label: string;
  describedBy?: string;
  multiple?: boolean;
  onPick: (files: File[]) => void;
  children: ReactNode;
};

/** The native file chooser behind a styled button. */
export function PickButton({ label, describedBy, multiple = false, onPick, children }: Props) {
  return (
    <span className={styles.pick}>
      {children}
      <input
        className={styles.input}
        type="file"
        accept={IMAGE_TYPES}
        multiple={multiple}
        aria-label={label}
        aria-describedby={describedBy}
        onChange={(event) => {
          onPick([...(event.target.files ?? [])]);
          // Allows choosing the same file again after its removal.
          event.target.value = '';
        }}
      />
    </span>
  );
}
