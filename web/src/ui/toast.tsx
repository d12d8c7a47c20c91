import { CircleAlert, CircleCheck } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { createStore } from '@/lib/store';
import { useStore } from '@/lib/use-store';
import { cx } from './cx';
import styles from './toast.module.css';

type Toast = { id: number; text: string; tone: 'success' | 'fail' };

export const TOAST_MS = 2000;

export const toastStore = createStore<Toast | null>(null);
let nextId = 1;

/** Shows a short text for two seconds. A new one replaces it. */
export function toast(text: string, tone: Toast['tone'] = 'success'): void {
  toastStore.set({ id: nextId++, text, tone });
}

/** Displays toasts. A popover, to stay above open sheets. */
export function Toaster() {
  const shown = useStore(toastStore);
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!shown) return;
    const element = box.current;
    element?.hidePopover?.();
    element?.showPopover?.();
    const timer = setTimeout(() => {
      toastStore.set((current) => (current?.id === shown.id ? null : current));
    }, TOAST_MS);
    return () => clearTimeout(timer);
  }, [shown]);

  const Icon = shown?.tone === 'fail' ? CircleAlert : CircleCheck;
  return (
    <div ref={box} className={styles.toaster} popover="manual" role="status" aria-live="polite">
      {shown ? (
        <div key={shown.id} className={cx(styles.toast, styles[shown.tone])}>
          <Icon size={20} aria-hidden="true" />
          <span>{shown.text}</span>
        </div>
      ) : null}
    </div>
  );
}
