import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import styles from './wheel-picker.module.css';

export type PickerOption = { value: string; label: string; lang?: string };

type Props = {
  label: string;
  options: readonly PickerOption[];
  value: string;
  onChange: (value: string) => void;
  onEnter?: () => void;
};

const ROW_PX = 44;

/** A wheel controlled by touch, mouse wheel, click or arrow keys; a listbox for assistive technology. */
export function WheelPicker({ label, options, value, onChange, onEnter }: Props) {
  const list = useRef<HTMLDivElement>(null);
  // The target of a programmatic scroll. Rows that it passes are not choices.
  const target = useRef<number | null>(null);
  const id = useId();
  const index = Math.max(
    0,
    options.findIndex((option) => option.value === value),
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: only for the initial position, scrolling sets the rest
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    // The surrounding dialog opens later and focuses the wheel; only then can it scroll. Not every browser focuses it.
    const place = () => element.scrollTo?.({ top: index * ROW_PX });
    element.setAttribute('autofocus', '');
    element.addEventListener('focus', place, { once: true });
    const frame = requestAnimationFrame(place);
    return () => {
      element.removeEventListener('focus', place);
      cancelAnimationFrame(frame);
    };
  }, []);

  const turnTo = (position: number) => {
    const next = Math.min(options.length - 1, Math.max(0, position));
    const option = options[next];
    if (!option) return;
    target.current = next;
    onChange(option.value);
    list.current?.scrollTo?.({ top: next * ROW_PX, behavior: 'smooth' });
  };

  const onScroll = (scrollTop: number) => {
    const position = Math.round(scrollTop / ROW_PX);
    if (target.current === position) target.current = null;
    const option = options[position];
    if (target.current === null && option && option.value !== value) onChange(option.value);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') onEnter?.();
    const next = nextPosition(event.key, index, options);
    if (next === undefined) return;
    event.preventDefault();
    turnTo(next);
  };

  const release = () => {
    target.current = null;
  };

  return (
    <div className={styles.frame}>
      <div className={styles.band} />
      <div
        ref={list}
        className={styles.list}
        role="listbox"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={`${id}-${index}`}
        onKeyDown={onKeyDown}
        onWheel={release}
        onTouchStart={release}
        onScroll={(event) => onScroll(event.currentTarget.scrollTop)}
      >
        {options.map((option, position) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list box takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: focus stays on the list box, which names the active option
          <div
            key={option.value}
            id={`${id}-${position}`}
            className={styles.option}
            role="option"
            aria-selected={position === index}
            lang={option.lang}
            onClick={() => turnTo(position)}
          >
            {option.label}
          </div>
        ))}
      </div>
    </div>
  );
}

/** The row that a key leads to. A letter leads to the next option that starts with it. */
function nextPosition(key: string, index: number, options: readonly PickerOption[]): number | undefined {
  const byKey: Record<string, number> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + 5,
    PageUp: index - 5,
    Home: 0,
    End: options.length - 1,
  };
  if (key in byKey) return byKey[key];
  if ([...key].length !== 1) return undefined;
  const begins = ({ label }: PickerOption) => label.toLowerCase().startsWith(key.toLowerCase());
  const after = options.findIndex((option, position) => position > index && begins(option));
  const found = after >= 0 ? after : options.findIndex(begins);
  return found >= 0 ? found : undefined;
}
