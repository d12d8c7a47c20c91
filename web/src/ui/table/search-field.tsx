import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import styles from './search-field.module.css';

/** How long the typing must pause before the server is asked. */
const PAUSE_MS = 300;

type Props = { label: string; hint: string; value: string; max: number; onSearch: (text: string) => void };

/** Searches while the user types, once that pauses. Enter does not wait. */
export function SearchField({ label, hint, value, max, onSearch }: Props) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  const latest = useRef(onSearch);
  latest.current = onSearch;
  // Another place has changed the search, as "Clear filters" does.
  if (known !== value) {
    setKnown(value);
    if (typed.trim() !== value) setTyped(value);
  }
  useEffect(() => {
    const text = typed.trim();
    if (text === value) return;
    const timer = setTimeout(() => latest.current(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);

  return (
    <div className={styles.search}>
      <Search size={18} aria-hidden="true" />
      <input
        type="search"
        aria-label={label}
        placeholder={hint}
        maxLength={max}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') onSearch(typed.trim());
        }}
      />
    </div>
  );
}
