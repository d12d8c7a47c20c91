import { CircleAlert, CircleCheck } from 'lucide-react';
import { type FocusEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { cx } from '@/ui/cx';
import styles from './passcode-field.module.css';

export const PASSCODE_LENGTH = 6;

export type PasscodeState = 'entering' | 'checking' | 'wrong' | 'success';

type Props = {
  label: string;
  value: string;
  onChange: (digits: string) => void;
  state?: PasscodeState;
  /** Shown while the state is `wrong`. */
  error?: string | null;
  autoFocus?: boolean;
};

const BOXES = Array.from({ length: PASSCODE_LENGTH }, (_, index) => index);

/**
 * Six boxes below one transparent input, so that pasting, deleting and system keyboards work as usual. Drops everything
 * but digits. A wrong code stays for correction; the owner of the value clears the error on change.
 */
export function PasscodeField({ label, value, onChange, state = 'entering', error, autoFocus }: Props) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const messageId = `${id}-message`;
  const wrong = state === 'wrong';

  const keepFocus = useKeptFocus();

  useEffect(() => {
    // A dialog focuses its first field when it opens; later fields must focus themselves.
    if (autoFocus || wrong) input.current?.focus();
  }, [autoFocus, wrong]);

  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={cx(styles.boxes, wrong && styles.wrong, state === 'success' && styles.right)}>
        <input
          ref={input}
          id={id}
          className={styles.input}
          type="password"
          inputMode="numeric"
          pattern="[0-9]*"
          // Neither a one-time code nor a login password: browsers must not fill it in or store it.
          autoComplete="off"
          data-1p-ignore=""
          data-lpignore="true"
          value={value}
          readOnly={state === 'checking' || state === 'success'}
          aria-invalid={wrong || undefined}
          aria-describedby={messageId}
          onChange={(event) => onChange(digitsOf(event.target.value))}
          onBlur={autoFocus ? keepFocus : undefined}
        />
        {BOXES.map((box) => (
          <span
            key={box}
            className={cx(
              styles.box,
              box < value.length && styles.filled,
              box === Math.min(value.length, PASSCODE_LENGTH - 1) && styles.current,
            )}
            aria-hidden="true"
          />
        ))}
      </div>
      <p id={messageId} className={styles.message} role="status">
        {state === 'checking' ? t('passcode.checking') : null}
        {wrong ? (
          <span className={styles.error}>
            <CircleAlert size={16} aria-hidden="true" />
            {error ?? t('passcode.wrong')}
          </span>
        ) : null}
        {state === 'success' ? (
          <span className={styles.success}>
            <CircleCheck size={16} aria-hidden="true" />
            {t('passcode.right')}
          </span>
        ) : null}
      </p>
    </div>
  );
}

/** How long the second tap of a double tap may take. */
const SECOND_TAP_MS = 1000;

/**
 * Returns the focus to a field that has just appeared. The second tap of a double tap on the button before it lands
 * beside it, on the page or on a disabled button. Later, and for other controls, the focus goes where it is sent.
 */
function useKeptFocus(): (event: FocusEvent<HTMLInputElement>) => void {
  const [appearedAt] = useState(() => performance.now());
  return ({ currentTarget: field, relatedTarget: next }) => {
    // Chromium sends it to the dialog around the field.
    const isNowhere = next === null || next.contains(field);
    if (!isNowhere || performance.now() - appearedAt > SECOND_TAP_MS) return;
    // After the tap, which moves the focus only then.
    setTimeout(() => field.focus());
  };
}

/** The digits of the input, cut to the length of the password. */
export function digitsOf(text: string): string {
  return text.replace(/\D/g, '').slice(0, PASSCODE_LENGTH);
}
