const KEY = 'adfolio.code';

/** The authorisation code that a visitor has entered before the registration, in this tab. Empty without one. */
export function keptCode(): string {
  try {
    return sessionStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

/** Null drops it. */
export function keepCode(code: string | null): void {
  try {
    if (code === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, code);
  } catch {
    // Storage is blocked: the visitor enters the code once more.
  }
}
