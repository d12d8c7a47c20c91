import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Link } from 'react-router';
import styles from './menu.module.css';

/** A card of links or buttons. */
export function Menu({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.menu} aria-labelledby={id}>
      <h2 className={styles.title} id={id}>
        {title}
      </h2>
      <ul>{children}</ul>
    </section>
  );
}

type ContentProps = { icon?: ReactNode; label: string; hint?: string | undefined; value?: ReactNode };

export function MenuLink({ to, ...content }: ContentProps & { to: string }) {
  return (
    <li>
      <Link className={styles.row} to={to}>
        <Content {...content} />
      </Link>
    </li>
  );
}

export function MenuButton({ onClick, ...content }: ContentProps & { onClick: () => void }) {
  return (
    <li>
      <button type="button" className={styles.row} onClick={onClick}>
        <Content {...content} />
      </button>
    </li>
  );
}

type SwitchProps = Omit<ContentProps, 'value'> & {
  isOn: boolean;
  busy: boolean;
  onChange: (on: boolean) => void;
};

export function MenuSwitch({ isOn, busy, onChange, ...content }: SwitchProps) {
  const { label, hint } = content;
  const hintId = useId();
  return (
    <li>
      <button
        type="button"
        role="switch"
        className={styles.row}
        aria-checked={isOn}
        aria-label={label}
        aria-describedby={hint ? hintId : undefined}
        aria-busy={busy || undefined}
        disabled={busy}
        onClick={() => onChange(!isOn)}
      >
        <Label {...content} hintId={hintId} />
        <span className={styles.switch} aria-hidden="true" />
      </button>
    </li>
  );
}

/** A row that only says something. */
export function MenuNote(content: ContentProps) {
  return (
    <li>
      <div className={styles.row}>
        <Label {...content} />
      </div>
    </li>
  );
}

function Content(content: ContentProps) {
  return (
    <>
      <Label {...content} />
      <ChevronRight className={styles.arrow} size={18} aria-hidden="true" />
    </>
  );
}

function Label({ icon, label, hint, value, hintId }: ContentProps & { hintId?: string }) {
  return (
    <>
      {icon ? (
        <span className={styles.icon} aria-hidden="true">
          {icon}
        </span>
      ) : null}
      <span className={styles.body}>
        <span className={styles.text}>
          <span className={styles.label}>{label}</span>
          {hint ? (
            <span className={styles.hint} id={hintId}>
              {hint}
            </span>
          ) : null}
        </span>
        {value ? <span className={styles.value}>{value}</span> : null}
      </span>
    </>
  );
}
