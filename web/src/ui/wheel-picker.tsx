import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import styles from './wheel-picker.module.css';

type Option = { value: string; label: string; lang?: string };
type Props = { label: string; options: readonly Option[]; value: string; onChange: (value: string) => void };

const ROW_PX = 44;

/** A wheel that is turned by finger, mouse wheel, click or arrow keys; to assistive technology it is a list box. */
export function WheelPicker({ label, options, value, onChange }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const index = Math.max(
    0,
    options.findIndex((option) => option.value === value),
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first position is set; later ones come from turning it
  useEffect(() => {
    list.current?.scrollTo?.({ top: index * ROW_PX });
    list.current?.focus({ preventScroll: true });
  }, []);

  const turnTo = (next: number) => {
    const option = options[Math.min(options.length - 1, Math.max(0, next))];
    if (!option) return;
    onChange(option.value);
    list.current?.scrollTo?.({ top: options.indexOf(option) * ROW_PX, behavior: 'smooth' });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: options.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    turnTo(target);
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
        onScrollEnd={(event) => {
          const option = options[Math.round(event.currentTarget.scrollTop / ROW_PX)];
          if (option && option.value !== value) onChange(option.value);
        }}
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
