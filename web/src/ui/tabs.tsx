import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { cx } from './cx';
import styles from './tabs.module.css';

export type TabItem<T extends string> = { value: T; label: string; count?: number | undefined };

type Props<T extends string> = {
  label: string;
  items: readonly TabItem<T>[];
  value: T;
  onChange: (value: T) => void;
  look?: 'segmented' | 'chips' | 'underlined';
  /** The id of the tabs' `TabPanel`. */
  panel: string;
  formatCount?: (count: number) => string;
};

/** A row of tabs with a single tab stop. Arrow keys, Home and End move between tabs. */
export function Tabs<T extends string>({
  label,
  items,
  value,
  onChange,
  look = 'segmented',
  panel,
  formatCount,
}: Props<T>) {
  const list = useRef<HTMLDivElement>(null);
  const wasShown = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to the selected tab whenever it changes
  useEffect(() => {
    const row = list.current;
    const chosen = row?.querySelector<HTMLElement>('[aria-selected="true"]');
    const first = wasShown.current ? null : row?.firstElementChild;
    wasShown.current = true;
    // A new row shows its first tab already; measuring would force a layout.
    if (!row || !chosen || chosen === first || row.scrollWidth <= row.clientWidth) return;
    row.scrollTo?.({ left: chosen.offsetLeft - row.offsetLeft - (row.clientWidth - chosen.offsetWidth) / 2 });
  }, [value]);

  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextIndex(
      event.key,
      items.findIndex((item) => item.value === value),
      items.length,
    );
    const item = next === null ? undefined : items[next];
    if (!item || next === null) return;
    event.preventDefault();
    onChange(item.value);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
  };

  return (
    <div
      ref={list}
      className={cx(styles.list, styles[look])}
      role="tablist"
      aria-label={label}
      onKeyDown={onKeyDown}
    >
      {items.map((item) => (
        <button
          key={item.value}
          type="button"
          role="tab"
          className={styles.tab}
          aria-selected={item.value === value}
          aria-controls={panel}
          tabIndex={item.value === value ? 0 : -1}
          onClick={() => onChange(item.value)}
        >
          {item.label}
          {item.count === undefined ? null : (
            <span className={styles.count}>{formatCount ? formatCount(item.count) : item.count}</span>
          )}
        </button>
      ))}
    </div>
  );
}

type PanelProps = {
  id: string;
  label: string;
  children: ReactNode;
  className?: string | undefined;
  busy?: boolean;
};

export function TabPanel({ id, label, children, className, busy }: PanelProps) {
  return (
    <div id={id} role="tabpanel" aria-label={label} className={className} aria-busy={busy || undefined}>
      {children}
    </div>
  );
}

function nextIndex(key: string, current: number, count: number): number | null {
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
  return step === undefined ? null : (current + step + count) % count;
}
