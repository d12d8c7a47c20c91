import { X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './button';
import { cx } from './cx';
import styles from './sheet.module.css';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  footer?: ReactNode;
  /** A sheet slides up from the bottom of a phone; a dialog is centred and has its own buttons. */
  kind?: 'sheet' | 'dialog';
  half?: boolean;
  /** Shown above a dialog's title. Adds a close button. */
  icon?: ReactNode;
  /** Stacks a dialog's buttons, for long labels. */
  stacked?: boolean;
  /** Shown beside a sheet's title. */
  action?: ReactNode;
};

/**
 * A modal based on the native `<dialog>`, which provides the top layer, the inert page, Esc and focus return without a
 * library. Adds only the focus loop of Tab.
 */
export function Sheet(props: Props) {
  const { isOpen, onClose, title, children, footer, kind = 'sheet', half, icon, action, stacked } = props;
  const { t } = useTranslation();
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useEffect(() => {
    const element = dialog.current;
    if (!element || !isOpen || element.open) return;
    const opener = document.activeElement;
    element.showModal();
    return () => {
      element.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
    };
  }, [isOpen]);

  if (!isOpen) return null;
  return (
    <dialog
      ref={dialog}
      className={cx(
        styles.dialog,
        kind === 'sheet' ? styles.sheet : styles.centre,
        half && styles.half,
        icon !== undefined && styles.withIcon,
      )}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        // The second click of a double click must not close what the first one has opened.
        if (event.target === event.currentTarget && event.detail < 2) onClose();
      }}
      onKeyDown={keepTabInside}
    >
      <div className={styles.head}>
        {icon ? (
          <div className={styles.icon} aria-hidden="true">
            {icon}
          </div>
        ) : null}
        <h2 className={styles.title} id={titleId}>
          {title}
        </h2>
        {action}
        {kind === 'sheet' || icon ? (
          <IconButton className={styles.close} label={t('common.close')} onClick={onClose}>
            <X size={22} aria-hidden="true" />
          </IconButton>
        ) : null}
      </div>
      <div className={styles.body}>{children}</div>
      {footer ? <div className={cx(styles.foot, stacked && styles.stacked)}>{footer}</div> : null}
    </dialog>
  );
}

const FOCUSABLE = 'a[href],button:not(:disabled),input:not(:disabled),select,textarea,[tabindex="0"]';

function keepTabInside(event: KeyboardEvent<HTMLDialogElement>) {
  if (event.key !== 'Tab') return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>(FOCUSABLE)];
  const first = stops[0];
  const last = stops.at(-1);
  if (!first || !last) return;
  const active = document.activeElement;
  if (event.shiftKey && active === first) last.focus();
  else if (!event.shiftKey && active === last) first.focus();
  else return;
  event.preventDefault();
}
