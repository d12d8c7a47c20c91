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

function Content({ icon, label, hint, value }: ContentProps) {
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
          {hint ? <span className={styles.hint}>{hint}</span> : null}
        </span>
        {value ? <span className={styles.value}>{value}</span> : null}
      </span>
      <ChevronRight className={styles.arrow} size={18} aria-hidden="true" />
    </>
  );
}
