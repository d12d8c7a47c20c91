import type { ComponentProps, ReactNode } from 'react';
import { Link, type LinkProps } from 'react-router';
import styles from './button.module.css';
import { cx } from './cx';

type Look = {
  /** `danger`: what is ended, removed or stopped by it does not come back by itself. */
  tone?: 'primary' | 'secondary' | 'quiet' | 'danger';
  large?: boolean;
  wide?: boolean;
};

type ButtonProps = Look & ComponentProps<'button'> & { busy?: boolean };

export function Button({
  tone,
  large,
  wide,
  busy = false,
  disabled,
  children,
  className,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={cx(lookOf({ tone, large, wide }), className)}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
    >
      {busy ? <span className={styles.spinner} aria-hidden="true" /> : null}
      {children}
    </button>
  );
}

export function LinkButton({ tone, large, wide, className, ...rest }: Look & LinkProps) {
  return <Link {...rest} className={cx(lookOf({ tone, large, wide }), className)} />;
}

/** A link out of the app that looks like a button. */
export function ButtonAnchor({ tone, large, wide, className, ...rest }: Look & ComponentProps<'a'>) {
  return <a {...rest} className={cx(lookOf({ tone, large, wide }), className)} />;
}

type IconButtonProps = ComponentProps<'button'> & { label: string; children: ReactNode };

/** A round icon button with a label for assistive technology. */
export function IconButton({ label, children, className, ...rest }: IconButtonProps) {
  return (
    <button type="button" {...rest} className={cx(styles.icon, className)} aria-label={label} title={label}>
      {children}
    </button>
  );
}

export function IconLink({ label, children, className, ...rest }: LinkProps & { label: string }) {
  return (
    <Link {...rest} className={cx(styles.icon, className)} aria-label={label} title={label}>
      {children}
    </Link>
  );
}

type LookInput = { [K in keyof Look]: Look[K] | undefined };

function lookOf({ tone = 'primary', large, wide }: LookInput): string {
  return cx(styles.button, styles[tone], large && styles.large, wide && styles.wide);
}
