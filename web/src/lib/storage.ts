// Storage throws where the browser forbids it; what is kept then lives as long as the page.

export function readText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** A value that this app wrote; anything else reads as null. */
export function readObject(key: string): object | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Null removes the key. */
export function write(key: string, value: string | object | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, typeof value === 'string' ? value : JSON.stringify(value));
  } catch {
    // Kept in memory only.
  }
}
