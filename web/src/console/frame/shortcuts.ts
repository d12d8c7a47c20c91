import { useEffect } from 'react';

type Shortcuts = { onPalette: () => void; onHelp: () => void };

/** The element that `/` moves to, and the rows that `j` and `k` move between, are marked with these attributes. */
export const SEARCH_MARK = 'data-list-search';
export const ROW_MARK = 'data-row-link';

/** The keys that hold on every page. Single letters do nothing while somebody types or a dialog is open. */
export function useShortcuts({ onPalette, onHelp }: Shortcuts): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
      } else if (!event.metaKey && !event.ctrlKey && !event.altKey && isFree(event.target)) {
        if (event.key === '?') onHelp();
        else if (event.key === '/' && focusSearch()) event.preventDefault();
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
}

/** Whether a single letter is a shortcut here: neither text that is typed nor a key of an open dialog or menu. */
export function isFree(target: EventTarget | null): boolean {
  return !(
    target instanceof Element && target.closest('input, textarea, select, [role="dialog"], [role="menu"]')
  );
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>(`[${SEARCH_MARK}]`);
  field?.focus();
  field?.select();
  return field !== null;
}
