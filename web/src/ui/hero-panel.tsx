import type { ComponentProps, ReactNode } from 'react';
import { cx } from './cx';
import styles from './hero-panel.module.css';

/** The dark panel with a page's main content. Needs `aria-label` or `aria-labelledby`. */
export function HeroPanel({ className, ...props }: ComponentProps<'section'>) {
  return <section className={cx(styles.hero, className)} {...props} />;
}

export function HeroCaption({ children }: { children: ReactNode }) {
  return <p className={styles.caption}>{children}</p>;
}
