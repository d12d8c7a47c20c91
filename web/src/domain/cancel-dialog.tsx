import type { UseMutationResult } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { useErrorText } from '@/i18n/error-text';
import { useIntentionKey } from '@/lib/idempotency';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import { Sheet } from '@/ui/sheet';
import stack from '@/ui/stack.module.css';

type Props = {
  /** What is cancelled. */
  id: string;
  /** The call. The dialog closes once it is done, with what it refetches. */
  mutation: UseMutationResult<unknown, Error, { id: string; key: string }>;
  texts: { title: string; keep: string; cancel: string };
  onClose: () => void;
  /** What happens then. */
  children: ReactNode;
};

/** Asks before an order, a plan or a withdrawal is cancelled. However often it is tapped, it is sent once. */
export function CancelDialog({ id, mutation, texts, onClose, children }: Props) {
  const errorText = useErrorText();
  const key = useIntentionKey();
  // A second tap may arrive before React disables the button.
  const sending = useRef(false);

  const send = () => {
    if (sending.current) return;
    sending.current = true;
    mutation.mutate(
      { id, key: key.for(id) },
      {
        onSuccess: onClose,
        onError: () => {
          sending.current = false;
        },
        onSettled: (_answer, error) => key.settle(error),
      },
    );
  };
  return (
    <Sheet
      isOpen
      kind="dialog"
      onClose={() => (mutation.isPending ? undefined : onClose())}
      title={texts.title}
      footer={
        <>
          <Button tone="secondary" disabled={mutation.isPending} onClick={onClose}>
            {texts.keep}
          </Button>
          <Button tone="danger" busy={mutation.isPending || mutation.isSuccess} onClick={send}>
            {texts.cancel}
          </Button>
        </>
      }
    >
      <div className={stack.gap4}>
        {children}
        <FormAlert>{mutation.isError ? errorText(mutation.error) : null}</FormAlert>
      </div>
    </Sheet>
  );
}
