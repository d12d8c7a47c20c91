import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { cx } from '@/ui/cx';
import styles from './dialog.module.css';

type Props = {
  title: string;
  /** Esc and a click beside the dialog. */
  onClose: () => void;
  children: ReactNode;
  /** For forms with much to fill in. */
  wide?: boolean;
  /** A question that must be answered: only its buttons close it. */
  forced?: boolean;
};

/** A dialog above the page. It traps the focus and gives it back. */
export function Dialog({ title, onClose, children, wide, forced }: Props) {
  return (
    <ModalOverlay
      className={styles.overlay ?? ''}
      isOpen
      isDismissable={!forced}
      isKeyboardDismissDisabled={forced ?? false}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Modal className={cx(styles.modal, wide && styles.wide)}>
        <AriaDialog className={styles.dialog ?? ''}>
          <Heading slot="title" level={2} className={styles.title ?? ''}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
