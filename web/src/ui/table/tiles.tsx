import type { ReactNode } from 'react';
import { cx } from '../cx';
import styles from './tiles.module.css';

/** The figures above a table, side by side. */
export function Tiles({ busy = false, children }: { busy?: boolean; children: ReactNode }) {
  return <dl className={cx(styles.tiles, busy && styles.busy)}>{children}</dl>;
}

type TileProps = {
  label: string;
  /** Below the figure. Null keeps its line empty. */
  note?: string | null | undefined;
  children: ReactNode;
};

export function Tile({ label, note, children }: TileProps) {
  return (
    <div className={styles.tile}>
      <dt>{label}</dt>
      <dd>{children}</dd>
      {note === undefined ? null : <dd className={styles.note}>{note}</dd>}
    </div>
  );
}
