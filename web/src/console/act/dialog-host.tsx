import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'react-router';
import { createStore } from '@/lib/store';
import { useStore } from '@/lib/use-store';

/** Draws a dialog, which calls `close` when it is done. */
export type OpenDialog = (close: () => void) => ReactNode;

const opened = createStore<{ dialog: OpenDialog } | null>(null);

/**
 * Opens a dialog above the page. It does not belong to the row or button that opens it, so it stays open when a refetch
 * removes the row, for example because another member has decided it.
 */
export function openDialog(dialog: OpenDialog): void {
  opened.set({ dialog });
}

/** Where dialogs are drawn. Leaving the page closes them. */
export function DialogHost() {
  const { pathname } = useLocation();
  const shown = useStore(opened);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what the effect is about
  useEffect(() => () => opened.set(null), [pathname]);
  if (!shown) return null;
  // Closes itself alone: by then it may have opened the next.
  return shown.dialog(() => opened.set((current) => (current === shown ? null : current)));
}
