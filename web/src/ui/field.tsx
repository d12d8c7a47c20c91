import { CircleAlert, Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import stack from '@/ui/stack.module.css';
import { IconButton } from './button';
import { cx } from './cx';
import styles from './field.module.css';

type FieldProps = Omit<ComponentProps<'input'>, 'size'> & {
  label: string;
  error?: string | undefined;
  hint?: ReactNode;
  optional?: boolean;
  prefix?: ReactNode;
  trailing?: ReactNode;
  large?: boolean;
};

type FrameProps = {
  label: string;
  error?: string | undefined;
  hint?: ReactNode;
  optional?: boolean | undefined;
  /** Renders the input with the attributes that tie it to its label, error and hint. */
  children: (wiring: Wiring) => ReactNode;
};

type Wiring = {
  id: string;
  'aria-invalid': true | undefined;
  'aria-required': true | undefined;
  'aria-describedby': string | undefined;
};

/** The frame of every field: label, error and hint. */
export function FieldFrame({ label, error, hint, optional, children }: FrameProps) {
  const { t } = useTranslation();
  const id = useId();
  const errorId = `${id}-error`;
  const hintId = `${id}-hint`;
  return (
    <div className={stack.gap1}>
      <label className={styles.label} htmlFor={id}>
        {label}
        {optional ? <span className={styles.optional}> {t('common.optional')}</span> : null}
      </label>
      {children({
        id,
        'aria-invalid': error ? true : undefined,
        'aria-required': optional ? undefined : true,
        'aria-describedby': cx(error && errorId, hint ? hintId : null) || undefined,
      })}
      {error ? <FieldError id={errorId}>{error}</FieldError> : null}
      {hint ? (
        <p className={styles.hint} id={hintId}>
          {hint}
        </p>
      ) : null}
    </div>
  );
}

/** The border around an input and its prefix or button. */
export function FieldBox({ children }: { children: ReactNode }) {
  return <div className={styles.box}>{children}</div>;
}

/** The error below a field. */
export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p className={styles.error} id={id}>
      <CircleAlert size={16} aria-hidden="true" />
      <span>{children}</span>
    </p>
  );
}

export function TextField({ label, error, hint, optional, prefix, trailing, large, ...input }: FieldProps) {
  return (
    <FieldFrame label={label} error={error} hint={hint} optional={optional}>
      {(wiring) => (
        <FieldBox>
          {prefix ? <span className={styles.prefix}>{prefix}</span> : null}
          <input {...input} {...wiring} className={cx(styles.input, large && styles.large)} />
          {trailing}
        </FieldBox>
      )}
    </FieldFrame>
  );
}

export function PasswordField(props: Omit<FieldProps, 'type' | 'trailing'>) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(false);
  return (
    <TextField
      {...props}
      type={shown ? 'text' : 'password'}
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      trailing={
        <IconButton
          label={t(shown ? 'common.hide_password' : 'common.show_password')}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? <EyeOff size={20} aria-hidden="true" /> : <Eye size={20} aria-hidden="true" />}
        </IconButton>
      }
    />
  );
}

/** The error of a whole form, announced at once. */
export function FormAlert({ children }: { children: ReactNode }) {
  return (
    <div role="alert" className={styles.alertBox}>
      {children ? (
        <p className={styles.alert}>
          <CircleAlert size={18} aria-hidden="true" />
          <span>{children}</span>
        </p>
      ) : null}
    </div>
  );
}
