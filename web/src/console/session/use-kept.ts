import { useState } from 'react';
import { useStaff } from './use-staff';

/** Something half written, which outlives its page in this tab and belongs to one member. Null drops it. */
export function useKept<T extends object>(name: string): [T | null, (value: T | null) => void] {
  const { id } = useStaff();
  const key = `adfolio.console.${name}.${id}`;
  const [value, setValue] = useState(() => readKept<T>(key));
  return [
    value,
    (next) => {
      keep(key, next);
      setValue(next);
    },
  ];
}

/** Another release may have written it, so callers fill in what is missing. */
function readKept<T>(key: string): T | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return typeof kept === 'object' ? (kept as T | null) : null;
  } catch {
    return null;
  }
}

function keep(key: string, value: object | null): void {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is blocked or full: it lives as long as the page.
  }
}
