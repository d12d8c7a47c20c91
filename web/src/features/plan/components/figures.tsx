import type { ReactNode } from 'react';
import { cx } from '@/ui/cx';
import styles from './figures.module.css';

type Props = {
  children: ReactNode;
  /** One row where the page is wide enough. */
  row?: boolean;
  small?: boolean;
};

export function Figures({ children, row = false, small = false }: Props) {
  return <dl className={cx(styles.figures, row && styles.row, small && styles.small)}>{children}</dl>;
}

export function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
