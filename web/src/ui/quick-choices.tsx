import { cx } from './cx';
import styles from './quick-choices.module.css';

type Choice = { key: string; label: string; isChosen: boolean; onChoose: () => void };

type Props = { label: string; choices: readonly Choice[]; className?: string | undefined };

/** Buttons that fill in the field above. */
export function QuickChoices({ label, choices, className }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would only add its own frame
    <div className={cx(styles.choices, className)} role="group" aria-label={label}>
      {choices.map(({ key, label: text, isChosen, onChoose }) => (
        <button key={key} type="button" aria-pressed={isChosen} onClick={onChoose}>
          {text}
        </button>
      ))}
    </div>
  );
}
